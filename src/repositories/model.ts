import type { Held } from '../access/levels.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { ObjectFormat, RepositoryId } from '../git/model.ts';
import type { Team } from '../teams/model.ts';
import type { RepositoryUnits } from './settings/units.ts';

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
  /** the configured one, whether it exists yet or not */
  readonly defaultBranch: string;
  readonly objectFormat: ObjectFormat;
  readonly sizeBytes: number;
  /** the repository that this one is a fork of; null for a plain one */
  readonly parentId: RepositoryId | null;
  readonly units: RepositoryUnits;
  readonly starsCount: number;
  readonly watchersCount: number;
  readonly forksCount: number;
  /** somebody was asked to take it over and has not answered yet */
  readonly isInTransfer: boolean;
  /** the one that most of the default branch is written in; '' for none */
  readonly language: string;
  /** in order */
  readonly topics: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A repository that was looked up and authorized for a viewer, and what the viewer holds on it. */
export interface HeldRepository extends Held {
  readonly repository: Repository;
  /** what it is a fork of, where the viewer may see that; its own parent is not told */
  readonly parent: HeldRepository | null;
  /** told to who owns the repository and to whoever was asked */
  readonly transfer: PendingTransfer | null;
}

/** Who asked whom to take a repository over. */
export interface PendingTransfer {
  readonly doer: PublicAccount;
  readonly recipient: PublicAccount;
  /** of the recipient, that get the repository with it */
  readonly teams: readonly Team[];
}

/** As a path of the wire names it; matched whatever its case. */
export interface RepositoryPath {
  readonly owner: string;
  readonly name: string;
}

/** Of a repository that is to have no other one. */
export const DEFAULT_BRANCH = 'main';

export type TrustModel = 'default' | 'collaborator' | 'committer' | 'collaboratorcommitter';

export interface NewRepository {
  readonly name: string;
  readonly description: string;
  /** null: as new repositories are on this site */
  readonly isPrivate: boolean | null;
  readonly isTemplate: boolean;
  readonly defaultBranch: string;
  readonly objectFormat: ObjectFormat;
  readonly trustModel: TrustModel;
}

/** What a new repository is to begin with, by the names of templates. */
export interface Start {
  /** with a README, and with what else is named; null: without a commit */
  readonly firstCommit: {
    /** with commas between; '' for none */
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
