import type { Tx } from '../../base/database/database.ts';
import type { ObjectFormat, Oid } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Progress } from './progress.ts';

/** The name and password that a source asks for. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Where a copy finds the objects of git-lfs. */
export interface LargeFilesSource {
  /** null: follows from the address of the repository */
  readonly url: URL | null;
}

/** A repository on another server. */
export interface Source {
  /** without credentials */
  readonly url: URL;
  readonly credentials: Credentials | null;
  /** null: the copy has no objects of git-lfs */
  readonly largeFiles: LargeFilesSource | null;
}

/**
 * Records that are copied from a server with an API of the same family, in addition to the git data, description,
 * website and topics.
 */
export interface FamilyItems {
  readonly labels: boolean;
  readonly milestones: boolean;
  /** with their comments, labels and milestones */
  readonly issues: boolean;
  /** as issues, with their reviews and heads */
  readonly pulls: boolean;
  /** with their assets */
  readonly releases: boolean;
  /** ids of accounts here, by their names there in lower case. Texts of other people name their original author. */
  readonly authors: ReadonlyMap<string, number>;
}

/** For requests over the API, which cannot name authors. */
export const NO_AUTHORS: FamilyItems['authors'] = new Map();

/** A request to copy a repository from another server. */
export interface WantedMigration {
  readonly source: Source;
  /** null: the account of the caller */
  readonly owner: { readonly name: string } | { readonly id: number } | null;
  readonly name: string;
  readonly description: string;
  /** null: git data and large files only */
  readonly family: FamilyItems | null;
  /** whether the wiki is copied, too, if the source has one */
  readonly hasWiki: boolean;
  readonly isPrivate: boolean | null;
  /** null: the copy does not follow the source */
  readonly mirror: { readonly intervalMs: number } | null;
}

/** The refs of a copy with their targets. Heads of pull requests that the source lacks are not among them. */
export type CopiedRefs = ReadonlyMap<string, Oid>;

/** A repository that is being copied, and the rows that listeners add to it. */
export interface Copying {
  /** of the pending repository */
  readonly id: RepositoryId;
  readonly ownerId: number;
  readonly objectFormat: ObjectFormat;
  readonly wanted: WantedMigration;
  readonly signal: AbortSignal;
  /** Heads of pull requests to copy: the commits that they have as far as listeners know, by their refs. */
  readonly wantedHeads: Map<string, Oid>;
  /** Run in the transaction that publishes the repository. */
  readonly rows: ((tx: Tx, copied: CopiedRefs) => Promise<void>)[];
  /** counts the records that listeners copy, and names those that they leave out */
  readonly progress: Progress;
}

/** A repository that follows its source. */
export interface Mirror {
  readonly repositoryId: RepositoryId;
  readonly source: Source;
  /** whether refs are deleted that the source no longer has */
  readonly prunes: boolean;
  /** ms; 0: updates on request only */
  readonly intervalMs: number;
}

/** A mirror that is due. `request` names the request that made it due; a later request makes it due again. */
export interface Due {
  readonly id: number;
  readonly request: number;
}
