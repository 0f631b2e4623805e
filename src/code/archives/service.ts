import { Readable } from 'node:stream';
import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, isFailure, notFound } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { leaveAtEnd } from '../../base/core/fairness/leave-at-end.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { Log } from '../../base/core/log.ts';
import { Signal } from '../../base/core/signal.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { ObjectRange, SignedRequest } from '../../storage/model.ts';
import { ARCHIVE } from './actions.ts';
import { ArchiveBuilds, type BuildWork } from './builds.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import {
  type ArchiveLocation,
  buildKeyOf,
  type FoundArchive,
  folderIn,
  keyOf,
  newContentName,
  splitArchiveName,
} from './model.ts';
import { requireSmallEnough } from './size.ts';
import type { StoredArchives } from './stored.ts';

/** git writes an archive in small pieces. Sending each of them by itself would take longer than building it. */
const NOTICE_BYTES = 32 * 1024;

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'transfers'>;
  readonly stored: StoredArchives;
}

interface BuiltArchive {
  /** the name of the bytes */
  readonly name: string;
  readonly bytes: Readable;
}

/** Archives of commits. The first request builds one, and later ones get it from the object store. */
export class Archives {
  /** A client has got a whole archive. */
  readonly downloaded = new Signal<[location: ArchiveLocation]>();
  readonly #repositories: Repositories;
  readonly #git: Pick<GitStorage, 'refs' | 'transfers'>;
  readonly #stored: StoredArchives;
  readonly #builds: ArchiveBuilds;
  readonly #downloads = downloadSlots();
  /** archives that are too large to build, with the failure */
  readonly #huge = createCountedCache<string, ForgeError>({
    entriesMax: ARCHIVE_LIMITS.hugeArchivesRememberedMax,
    ttlMs: ARCHIVE_LIMITS.hugeArchiveRememberedMs,
  });

  constructor({ repositories, git, stored }: Dependencies) {
    this.#repositories = repositories;
    this.#git = git;
    this.#stored = stored;
    this.#builds = new ArchiveBuilds(() => git.transfers.newArchiveBytes({ noticeBytes: NOTICE_BYTES }));
  }

  /** archives that are being built or stored */
  get building(): number {
    return this.#builds.size;
  }

  /** Waits until no archive is being built or stored. */
  idle(): Promise<void> {
    return this.#builds.idle();
  }

  /**
   * Authorizes the request and resolves its ref.
   *
   * @param name a ref with the ending of a format, such as `main.tar.gz`
   * @throws ForgeError `not_found`, `unauthenticated`, `forbidden`; `bad_request` for an unknown format
   */
  async locate(viewer: Viewer, path: RepositoryPath, name: string): Promise<ArchiveLocation> {
    const { repository } = await this.#repositories.get(viewer, path, ARCHIVE.get);
    const split = splitArchiveName(name);
    if (split === undefined) {
      const what = 'unknown format: ask for .zip, .tar.gz or .bundle';
      throw new ForgeError({ kind: 'bad_request', what });
    }
    const snapshot = await this.#git.refs.open(repository.id);
    const resolved = await resolveRef(snapshot, split.ref);
    if (resolved === undefined) throw notFound('ref');
    const { commit } = resolved;
    const { committer } = await snapshot.objects.readCommit(commit);
    return { repository, snapshot, commit, committedAt: committer.seconds * 1000, ...split };
  }

  /** Finds an archive in the object store. */
  async find(location: ArchiveLocation): Promise<FoundArchive | undefined> {
    const name =
      location.format === 'bundle'
        ? await this.#stored.findName(keyOf(location, ''), location.commit)
        : newContentName(location);
    const stored = name === undefined ? undefined : await this.#stored.find(keyOf(location, name));
    return name === undefined || stored === undefined ? undefined : { name, stored };
  }

  /** Returns the name of the bytes that the next request would get; undefined if they are yet to be built. */
  async nameOf(location: ArchiveLocation): Promise<string | undefined> {
    if (location.format !== 'bundle') return newContentName(location);
    return (await this.find(location))?.name ?? this.#builds.nameOf(buildKeyOf(location));
  }

  /** Returns an address in the object store itself, for the client. */
  addressOf(
    location: ArchiveLocation,
    { name }: FoundArchive,
    download: Omit<SignedRequest, 'lifetimeMs'>,
  ): Promise<string> {
    return this.#stored.addressOf(keyOf(location, name), download);
  }

  /**
   * Opens an archive that was found, or a range of it; undefined if it is gone.
   *
   * @throws ForgeError `busy`
   */
  async open(
    location: ArchiveLocation,
    { name }: FoundArchive,
    range: ObjectRange | undefined,
  ): Promise<Readable | undefined> {
    const leave = await this.#downloads.enter();
    try {
      const reading = await this.#stored.open(keyOf(location, name), range);
      if (reading !== undefined) return leaveAtEnd(reading.body, leave);
      leave();
      return undefined;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Streams an archive while it is being built, once for all clients that want it at the same time. The build ends when
   * the last of them leaves.
   *
   * @throws ForgeError `busy`; `invalid` if the commit is too large for an archive
   */
  async build(location: ArchiveLocation, log: Log): Promise<BuiltArchive> {
    const key = buildKeyOf(location);
    const huge = this.#huge.get(key);
    if (huge !== undefined) throw huge;
    const endDownload = await this.#downloads.enter();
    const build = this.#builds.get(key, () => this.#workOf(location, key, log));
    const leaveBuild = build.join();
    const leave = () => {
      leaveBuild();
      endDownload();
    };
    const { left } = currentCaller();
    left?.addEventListener('abort', leave, { once: true });
    try {
      left?.throwIfAborted();
      await build.started;
      left?.throwIfAborted();
      const bytes = leaveAtEnd(Readable.from(build.read(), { objectMode: false }), leave);
      return { name: build.name, bytes };
    } catch (error) {
      leave();
      left?.throwIfAborted();
      throw error;
    }
  }

  #workOf(location: ArchiveLocation, key: string, log: Log): BuildWork {
    const { repository, snapshot, commit, format } = location;
    const name = newContentName(location);
    const bytes = (signal: AbortSignal) =>
      this.#git.transfers.archive(
        { snapshot, oid: commit },
        { format, prefix: `${folderIn(location)}/`, signal },
      );
    // A bundle has each object once, however many files it stands for.
    const check = async () =>
      format === 'bundle' ? undefined : requireSmallEnough(snapshot.objects, commit);
    return {
      name,
      bytes: (signal) => this.#bounded(key, unlessTooLarge(check, bytes, signal)),
      store: (archive) =>
        this.#stored
          .store({ key: keyOf(location, name), repositoryId: repository.id }, archive)
          .catch((error: unknown) => log.warn({ err: error }, 'an archive was not kept')),
    };
  }

  /** Ends an archive that is too large, and remembers that it is. */
  async *#bounded(key: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      let sizeBytes = 0;
      for await (const chunk of bytes) {
        sizeBytes += chunk.length;
        if (sizeBytes > ARCHIVE_LIMITS.archiveBytesMax)
          throw invalid('the archive is too large: clone the repository instead');
        yield chunk;
      }
    } catch (error) {
      if (isFailure(error, 'invalid')) this.#huge.set(key, error);
      throw error;
    }
  }
}

/**
 * Yields an archive unless the check rejects it. git starts meanwhile, so that the check delays no archive, and nothing
 * is yielded before it is done.
 */
async function* unlessTooLarge(
  check: () => Promise<void>,
  start: (signal: AbortSignal) => AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const rejected = new AbortController();
  const checked = check();
  checked.catch((error: unknown) => rejected.abort(error));
  for await (const chunk of start(AbortSignal.any([signal, rejected.signal]))) {
    await checked;
    yield chunk;
  }
  await checked;
}

function downloadSlots(): FairSlots {
  return new FairSlots({
    what: 'archives',
    unitsMax: ARCHIVE_LIMITS.archiveDownloadsAtOnceMax,
    unitsPerCallerMax: ARCHIVE_LIMITS.archiveDownloadsPerCallerMax,
    unitsForSignedIn: Math.floor(ARCHIVE_LIMITS.archiveDownloadsAtOnceMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
}
