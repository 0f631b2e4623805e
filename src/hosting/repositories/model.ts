import type { Permissions } from '../../api/access/levels.ts';
import type { ObjectFormat } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Team } from '../../people/teams/model.ts';
import type { RepositoryUnits } from './units.ts';

export interface Repository {
  readonly id: RepositoryId;
  readonly owner: PublicAccount;
  readonly name: string;
  readonly description: string;
  readonly website: string;
  readonly isPrivate: boolean;
  readonly isTemplate: boolean;
  readonly isMirror: boolean;
  /** no branch has a commit yet */
  readonly isEmpty: boolean;
  /** ms; null for a repository that is not archived */
  readonly archivedAt: number | null;
  /** the configured branch, which may not exist yet */
  readonly defaultBranch: string;
  readonly objectFormat: ObjectFormat;
  readonly sizeBytes: number;
  /** id of the git repository of its wiki; null: the wiki has no page yet */
  readonly wikiId: RepositoryId | null;
  /** id of the parent of a fork; null for other repositories */
  readonly parentId: RepositoryId | null;
  readonly units: RepositoryUnits;
  readonly starsCount: number;
  readonly watchersCount: number;
  readonly forksCount: number;
  /** without pull requests */
  readonly openIssuesCount: number;
  readonly openPullsCount: number;
  /** without drafts */
  readonly releasesCount: number;
  /** a transfer is pending */
  readonly isInTransfer: boolean;
  /** language with the most bytes on the default branch; '' for none */
  readonly language: string;
  /** sorted */
  readonly topics: readonly string[];
  /** name of the uploaded picture, hex; '' without one */
  readonly avatar: string;
  /** from which it was copied, without credentials; '' if it began here */
  readonly originalUrl: string;
  /** of a mirror, ms; 0: it is updated only on request */
  readonly mirrorIntervalMs: number;
  /** when a mirror last agreed with its source, ms; null: never, or not a mirror */
  readonly mirrorUpdatedAt: number | null;
  /** why the last update of a mirror failed; '' after a success */
  readonly mirrorError: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A repository that was looked up and authorized for a viewer, with the viewer's levels. */
export interface PermittedRepository extends Permissions {
  readonly repository: Repository;
  /** parent of a fork, if the viewer may see it; leaves out the parent's own parent */
  readonly parent: PermittedRepository | null;
  /** pending transfer; only owners of the repository and the recipient see it */
  readonly transfer: PendingTransfer | null;
}

/** A transfer that waits for the recipient's answer. */
export interface PendingTransfer {
  readonly doer: PublicAccount;
  readonly recipient: PublicAccount;
  /** teams of the recipient that get the repository, too */
  readonly teams: readonly Team[];
}

/** A repository as named in a path of the wire; matched in any case. */
export interface RepositoryPath {
  readonly owner: string;
  readonly name: string;
}

/** Default branch of new repositories unless the request names one. */
export const DEFAULT_BRANCH = 'main';

export type TrustModel = 'default' | 'collaborator' | 'committer' | 'collaboratorcommitter';

export interface NewRepository {
  readonly name: string;
  readonly description: string;
  /** null: the default of the site */
  readonly isPrivate: boolean | null;
  readonly isTemplate: boolean;
  readonly defaultBranch: string;
  readonly objectFormat: ObjectFormat;
  readonly trustModel: TrustModel;
}

/** Names of the templates that a new repository starts with. */
export interface Start {
  /** a commit with a README and the named templates; null: no commit */
  readonly firstCommit: {
    /** comma-separated; '' for none */
    readonly gitignores: string;
    /** '' for none */
    readonly license: string;
  } | null;
  /** '' for none */
  readonly labelSet: string;
}

export const EMPTY_START: Start = { firstCommit: null, labelSet: '' };

export interface Collaborator {
  readonly account: PublicAccount;
  readonly level: CollaborationLevel;
}

export type CollaborationLevel = 'read' | 'write' | 'admin';
