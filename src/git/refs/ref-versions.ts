import { notFound } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import { createSizedCache } from '../../core/sized-cache.ts';
import type { Database, Db } from '../../database/database.ts';
import type { ObjectFormat, Oid, RepositoryId } from '../model.ts';
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

/** The refs of the repositories used last. What is remembered is checked against the row each time it is used. */
export class RefVersions {
  readonly #known = createSizedCache<RepositoryId, Known>({
    sizeMax: LIMITS.refsCachedMax,
    sizeOf: ({ refs }) => refs.weight,
  });
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The version that is current now: one read by primary key, and what changed since the version known here.
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
   * The version that `row` tells of. Undefined where refs have moved on since the row was read, which cannot be
   * inside a transaction that holds the row.
   */
  async at(db: Db, id: RepositoryId, row: GitRepositoryRow): Promise<RefVersion | undefined> {
    const known = this.#known.get(id) ?? NOTHING;
    // A database that was put back to an earlier day may be behind what is known here.
    const from = known.version <= row.gen ? known : NOTHING;
    if (from.version === row.gen) return toVersion(row, from.refs);
    const { changes, newest } = await listRefChanges(db, id, from.version);
    if (newest > row.gen) return undefined;
    const refs = from.refs.with(changes);
    if (db === this.#database.reader) this.remember(id, row.gen, refs);
    return toVersion(row, refs);
  }

  /** Only of committed versions. */
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
    return notFound('no such repository');
  }
}

/** What its refs point to, each once. */
export function tipsOf({ refs }: RefVersion): ReadonlySet<Oid> {
  return new Set([...refs.entries('')].map(([, ref]) => ref.oid));
}

function toVersion(row: GitRepositoryRow, refs: RefTable): RefVersion {
  return { version: row.gen, format: row.format, head: row.head, pruneGen: row.pruneGen, refs };
}
