import type { Readable } from 'node:stream';
import { forbidden, notFound } from '../../base/core/failure.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { leaveAtEnd } from '../../base/core/fairness/leave-at-end.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { ObjectRange, ObjectStorage, StoredObject } from '../../storage/model.ts';
import type { SignedAddresses, SignedDownload, SignedQuery } from '../../storage/signed-addresses.ts';
import { DOWNLOAD_LIMITS } from './limits.ts';

interface Dependencies {
  readonly objects: ObjectStorage;
  readonly signedAddresses: SignedAddresses;
}

/** Downloads of objects from signed addresses of this server. */
export class ObjectDownloads {
  readonly #use: Dependencies;
  readonly #downloads = new FairSlots({
    what: 'downloads',
    unitsMax: DOWNLOAD_LIMITS.objectDownloadsAtOnceMax,
    unitsPerCallerMax: DOWNLOAD_LIMITS.objectDownloadsPerCallerMax,
    unitsForSignedIn: Math.floor(DOWNLOAD_LIMITS.objectDownloadsAtOnceMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Checks a signed address and finds its object.
   *
   * @throws ForgeError `forbidden` for an address that was not signed like this or has expired; `not_found`
   */
  async find(
    method: string,
    key: string,
    query: SignedQuery,
  ): Promise<{ stored: StoredObject; granted: SignedDownload }> {
    const granted = this.#use.signedAddresses.check(method, key, query);
    if (granted === undefined)
      throw forbidden('this address is not valid or has expired: follow the link to the file again');
    const stored = await this.#use.objects.head(key);
    if (stored === undefined) throw notFound('object');
    return { stored, granted };
  }

  /**
   * Opens an object, or a range of it; undefined if it is another one by now.
   *
   * @throws ForgeError `not_found`, `busy`
   */
  async open(found: StoredObject, range: ObjectRange | undefined): Promise<Readable | undefined> {
    const leave = await this.#downloads.enter();
    try {
      const { body, sizeBytes, modifiedAt } = await this.#use.objects.get(found.key, range);
      leaveAtEnd(body, leave);
      if (sizeBytes === found.sizeBytes && modifiedAt === found.modifiedAt) return body;
      body.destroy();
      return undefined;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
