import { notFound } from '../../base/core/failure.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Database, Db } from '../../base/database/database.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { findGitRepository, type GitRepositoryRow, listRefChanges } from '../store.ts';
import { RefTable } from './ref-table.ts';

/** The refs and HEAD of a repository as of one version. */
export interface RefVersion {
  readonly version: number;
  readonly format: ObjectFormat;
  readonly head: string;
  readonly pruneGen: number;
  readonly refs: RefTable;
}

interface Known {
  readonly version: number;
  readonly refs: RefTable;
}

const NOTHING: Known = { version: 0, refs: RefTable.EMPTY };

/** Caches the refs of recently used repositories. Each use checks the cached version against the row. */
export class RefVersions {
  readonly #known = createSizedCache<RepositoryId, Known>({
    sizeMax: GIT_LIMITS.refsCachedMax,
    sizeOf: ({ refs }) => refs.weight,
  });
  readonly #database: Database;
  readonly #onOthersChange: (id: RepositoryId) => void;

  /** @param onOthersChange called when the rows have a change that this process may not have made */
  constructor(database: Database, onOthersChange: (id: RepositoryId) => void) {
    this.#database = database;
    this.#onOthersChange = onOthersChange;
  }

  /**
   * Returns the current version with one read by primary key, and one of the changes since the cached version.
   *
   * @throws ForgeError `not_found`
   */
  async current(id: RepositoryId): Promise<RefVersion> {
    for (;;) {
      const row = await findGitRepository(this.#database.reader, id);
      if (row === undefined) throw this.#missing(id);
      const version = await this.at(this.#database.reader, id, row);
      if (version !== undefined) return version;
    }
  }

  /**
   * Returns the version of `row`. Returns undefined if refs have moved since the row was read, which cannot happen inside
   * a transaction that locks the row.
   */
  async at(db: Db, id: RepositoryId, row: GitRepositoryRow): Promise<RefVersion | undefined> {
    const known = this.#known.get(id) ?? NOTHING;
    // A database that was restored from a backup may be older than the cache. Before the last compaction, the cache may
    // have refs whose deletion left no row.
    const from = known.version <= row.gen && known.version >= row.compactedGen ? known : NOTHING;
    if (from.version === row.gen) return toVersion(row, from.refs);
    this.#onOthersChange(id);
    const { changes, newest } = await listRefChanges(db, id, from.version);
    if (newest > row.gen) return undefined;
    const refs = from.refs.with(changes);
    if (db === this.#database.reader) this.remember(id, row.gen, refs);
    return toVersion(row, refs);
  }

  /** Caches a version, which must be committed. */
  remember(id: RepositoryId, version: number, refs: RefTable): void {
    const known = this.#known.get(id);
    if (known !== undefined && known.version > version) return;
    this.#known.set(id, { version, refs });
  }

  forget(id: RepositoryId): void {
    this.#known.delete(id);
  }

  #missing(id: RepositoryId) {
    this.forget(id);
    return notFound('repository');
  }
}

/** Returns the distinct targets of all refs. */
export function tipsOf({ refs }: RefVersion): ReadonlySet<Oid> {
  return new Set([...refs.entries('')].map(([, ref]) => ref.oid));
}

function toVersion(row: GitRepositoryRow, refs: RefTable): RefVersion {
  return { version: row.gen, format: row.format, head: row.head, pruneGen: row.pruneGen, refs };
}
