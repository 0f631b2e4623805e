import type { OutboundClient } from '../../base/outbound/client.ts';
import type { OutboundRequest } from '../../base/outbound/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { ObjectRange } from '../../git/interface/transfers.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { namedObjectsIn } from '../lfs/find-pointers.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { LfsObject } from '../lfs/model.ts';
import { LFS_POINTER_BYTES_MAX } from '../lfs/pointer.ts';
import type { LargeFiles } from '../lfs/service.ts';
import {
  answersWith,
  askBatch,
  LFS_MEDIA_TYPE,
  type ObjectActions,
  type ObjectRequest,
} from '../mirrors/large-files-batch.ts';
import { MIRROR_LIMITS } from '../mirrors/limits.ts';
import type { Source } from '../mirrors/model.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'transfers'>;
  readonly outbound: OutboundClient;
  readonly objectLinks: ObjectLinks;
  readonly largeFiles: LargeFiles;
}

/** Sends objects of git-lfs to the targets of push mirrors. */
export class LargeFilePushes {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Sends the objects that commits of a range name, that belong to the repository, and that the target lacks.
   *
   * @throws RemoteError, OutboundError, ForgeError `invalid` for too many, `busy`; the reason of the signal
   */
  async send(snapshot: Snapshot, range: ObjectRange, to: Source, signal: AbortSignal): Promise<void> {
    const { git, objectLinks, outbound, largeFiles } = this.#use;
    if (!largeFiles.isEnabled || range.tips.length === 0 || !(await objectLinks.hasAny(snapshot.id))) return;
    const blobs = git.transfers.newBlobs(snapshot, range, { bytesMax: LFS_POINTER_BYTES_MAX });
    const objects = await objectLinks.presentIn(snapshot.id, await namedObjectsIn(blobs));
    for (let at = 0; at < objects.length; at += MIRROR_LIMITS.sourceBatchObjectsMax) {
      const batch = objects.slice(at, at + MIRROR_LIMITS.sourceBatchObjectsMax);
      const answers = await askBatch(outbound, to, { operation: 'upload', objects: batch, signal });
      for (const object of batch) await this.#upload(object, answers.get(object.oid) ?? {}, signal);
    }
  }

  async #upload(object: LfsObject, { upload, verify }: ObjectActions, signal: AbortSignal): Promise<void> {
    if (upload === undefined) return;
    const { sizeBytes } = object;
    await this.#send(
      { ...upload, headers: { 'content-type': 'application/octet-stream', ...upload.headers } },
      { method: 'PUT', body: { read: () => this.#bytesOf(object), sizeBytes, bytesMax: sizeBytes }, signal },
    );
    if (verify === undefined) return;
    await this.#send(
      { ...verify, headers: { ...verify.headers, accept: LFS_MEDIA_TYPE, 'content-type': LFS_MEDIA_TYPE } },
      { method: 'POST', body: Buffer.from(JSON.stringify({ oid: object.oid, size: sizeBytes })), signal },
    );
  }

  /** Opens the object when the first byte is asked for, so nothing is open while the server connects. */
  async *#bytesOf(object: LfsObject): AsyncGenerator<Uint8Array, void> {
    const { body } = await this.#use.largeFiles.open(object, undefined);
    yield* body;
  }

  async #send(
    request: ObjectRequest,
    what: Required<Pick<OutboundRequest, 'method' | 'body' | 'signal'>>,
  ): Promise<void> {
    const response = await this.#use.outbound.send({
      ...request,
      ...what,
      deadlineMs: MIRROR_LIMITS.migrationMs,
      idleMs: GIT_LIMITS.targetIdleMs,
      bytesMax: MIRROR_LIMITS.sourceBatchBytesMax,
    });
    response.end();
    if (response.status < 200 || response.status >= 300) throw answersWith(response.status, 'target');
  }
}
