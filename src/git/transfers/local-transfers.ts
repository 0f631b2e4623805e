import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { Broadcast } from '../../base/core/spool/broadcast.ts';
import { Received } from '../../base/core/spool/received.ts';
import { archive } from '../archives/archive.ts';
import type { Engine } from '../engine.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import { readNewBlobs } from '../history/new-blobs.ts';
import type { CommitOf, RepositoryId, Snapshot } from '../interface/snapshot.ts';
import type {
  ArchiveOptions,
  FetchAnswer,
  FetchRequest,
  ObjectRange,
  PackOptions,
  TransferSettings,
  Transfers,
} from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { discardPack } from '../packs/receive-pack.ts';
import { packObjects } from './pack-objects.ts';
import { uploadPack } from './upload-pack.ts';

type Needs = Pick<Engine, 'completeFolder' | 'mirroredFolder' | 'open' | 'transfers'>;

/** Starts git in the folder of a repository, and hands its output on. */
export class LocalTransfers implements Transfers {
  readonly #use: Needs;

  constructor(engine: Needs) {
    this.#use = engine;
  }

  get settings(): TransferSettings {
    return this.#use.transfers.settings;
  }

  get uploads(): FairSlots {
    return this.#use.transfers.uploads;
  }

  receiveRequest(fill: (request: Received) => Promise<void>): Promise<Received> {
    const { requests, spools } = this.#use.transfers;
    return requests.run(async () => {
      await using receipt = new AsyncDisposableStack();
      const request = new Received(spools, { memoryBytesMax: GIT_LIMITS.spoolMemoryBytesMax });
      receipt.use(request);
      await fill(request);
      receipt.move();
      return request;
    });
  }

  async serveFetch(id: RepositoryId, request: FetchRequest): Promise<FetchAnswer> {
    const { transfers } = this.#use;
    const endResponse = await transfers.responses.enter();
    if (request.signal.aborted) endResponse();
    request.signal.addEventListener('abort', endResponse, { once: true });
    const { path } = await this.#use.mirroredFolder(await this.#use.open(id));
    return uploadPack(transfers, path, request);
  }

  discardRest(pack: AsyncIterable<Buffer>): Promise<void> {
    return discardPack(pack);
  }

  async *packOf(snapshot: Snapshot, range: ObjectRange, options: PackOptions): AsyncGenerator<Buffer> {
    yield* packObjects(this.#use.transfers, await this.#gitDirOf(snapshot), range, options);
  }

  async *newBlobs(
    snapshot: Snapshot,
    { tips, without }: ObjectRange,
    { bytesMax }: { bytesMax: number },
  ): AsyncGenerator<Buffer> {
    const gitDir = await this.#gitDirOf(snapshot);
    yield* readNewBlobs({ gitDir }, { tips, known: without, bytesMax });
  }

  async *archive(commit: CommitOf, options: ArchiveOptions): AsyncGenerator<Buffer> {
    // The refs, too: git can write the tags of the commit into files that ask for them (export-subst).
    const { path } = await this.#use.mirroredFolder(commit.snapshot);
    yield* archive(path, commit, options);
  }

  newArchiveBytes({ noticeBytes }: { noticeBytes: number }): Broadcast {
    return new Broadcast(this.#use.transfers.archives, {
      memoryBytesMax: GIT_LIMITS.spoolMemoryBytesMax,
      noticeBytes,
    });
  }

  async #gitDirOf({ id, objectFormat }: Snapshot): Promise<GitDir> {
    return (await this.#use.completeFolder(id, objectFormat)).path;
  }
}
