import type { RepositoryId } from '../git/model.ts';

/** What a source asks for. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Objects of git-lfs that a copy takes, too. */
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

/** A request to copy a repository from another server. */
export interface WantedMigration {
  readonly source: Source;
  /** null: the caller's own */
  readonly owner: { readonly name: string } | { readonly id: number } | null;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean | null;
  /** null: the copy does not follow the source */
  readonly mirror: { readonly intervalMs: number } | null;
}

/** A repository that follows its source. */
export interface Mirror {
  readonly repositoryId: RepositoryId;
  readonly source: Source;
  /** whether refs go that the source no longer has */
  readonly prunes: boolean;
  /** ms; 0: updates on request only */
  readonly intervalMs: number;
  /** since the last success */
  readonly failures: number;
}
