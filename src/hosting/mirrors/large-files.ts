import type { OutboundClient } from '../../base/outbound/client.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { findNamedObjects } from '../lfs/find-pointers.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { LfsObject, NamedObject } from '../lfs/model.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { Quota } from '../quota/service.ts';
import { answersWith, askBatch, type ObjectRequest } from './large-files-batch.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { Source } from './model.ts';
import { countedBytes, newProgress, type Progress } from './progress.ts';

interface StagingFor {
  readonly id: RepositoryId;
  readonly ownerId: number;
  readonly source: Source;
  readonly signal: AbortSignal;
  readonly progress?: Progress;
}

interface Dependencies {
  readonly outbound: OutboundClient;
  readonly objectIntake: ObjectIntake;
  readonly quota: Quota;
  readonly objectLinks: ObjectLinks;
  readonly largeFiles: LargeFiles;
}

/** Copies objects of git-lfs from other servers. */
export class LargeFileCopies {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Stores the objects that new commits name and the repository lacks. Leaves out objects that the source lacks, too.
   * The caller makes them belong to the repository with `ObjectIntake.adopt`.
   *
   * @throws RemoteError, OutboundError, ForgeError `too_large`, `invalid`; the reason of the signal
   */
  async stage(
    session: WriteSession,
    updates: readonly RefUpdate[],
    about: StagingFor,
  ): Promise<readonly LfsObject[]> {
    const { id, ownerId, source, signal, progress = newProgress() } = about;
    const tips = updates.flatMap((update) => update.new ?? []);
    if (source.largeFiles === null || !this.#use.largeFiles.isEnabled || tips.length === 0) return [];
    const missing = await this.#use.objectLinks.missingIn(id, await findNamedObjects(session, tips));
    const sizeBytes = missing.reduce((sum, object) => sum + object.sizeBytes, 0);
    await this.#use.quota.requireRoom(ownerId, { kind: 'size:git:lfs', sizeBytes });
    Object.assign(progress, { phase: 'lfs', largeFilesTotal: missing.length } satisfies Partial<Progress>);
    const staged: LfsObject[] = [];
    for (let at = 0; at < missing.length; at += MIRROR_LIMITS.sourceBatchObjectsMax) {
      const batch = missing.slice(at, at + MIRROR_LIMITS.sourceBatchObjectsMax);
      const answers = await askBatch(this.#use.outbound, source, {
        operation: 'download',
        objects: batch,
        signal,
      });
      for (const object of batch) {
        const download = answers.get(object.oid)?.download;
        if (download !== undefined) staged.push(await this.#download(object, download, { signal, progress }));
        progress.largeFiles += 1;
      }
    }
    return staged;
  }

  async #download(
    object: NamedObject,
    download: ObjectRequest,
    { signal, progress }: { signal: AbortSignal; progress: Progress },
  ): Promise<LfsObject> {
    const { sizeBytes } = object;
    const response = await this.#use.outbound.send({
      method: 'GET',
      ...download,
      deadlineMs: MIRROR_LIMITS.migrationMs,
      // The size is checked as the object is stored.
      bytesMax: sizeBytes + MIRROR_LIMITS.sourceBatchBytesMax,
      signal,
    });
    try {
      if (response.status !== 200) throw answersWith(response.status, 'source');
      return await this.#use.objectIntake.stage(object, countedBytes(response.body, progress));
    } finally {
      response.end();
    }
  }
}
