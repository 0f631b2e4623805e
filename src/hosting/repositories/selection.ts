import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** The repositories of a list, among those that the viewer sees, and their order. An absent field excludes none. */
export interface RepositorySelection {
  readonly of?: PersonsPart;
  /** only forks of this repository */
  readonly parentId?: RepositoryId;
  /** only repositories of this team */
  readonly teamId?: number;
  /** only repositories that this account has starred */
  readonly starredBy?: number;
  readonly is?: Partial<Record<RepositoryTrait, boolean>>;
  /** only repositories that match any of these; an empty list excludes none */
  readonly words?: readonly SearchWords[];
  /** only repositories that everyone sees */
  readonly onlyOpenToAll?: boolean;
  readonly order?: RepositoryOrder;
  /** lists the repositories of this owner before all others, both parts in order */
  readonly firstOwnerId?: number;
}

export interface PersonsPart {
  readonly accountId: number;
  /** `owned`: owned by the account. `contributed`: given to it by a collaboration or a team. `both`: either. */
  readonly part: 'owned' | 'contributed' | 'both';
}

export type RepositoryTrait = 'private' | 'fork' | 'mirror' | 'template' | 'archived';

/** Words to search for, in lower case. */
export type SearchWords =
  /** in the name, in a topic or, with `inDescription`, in the description */
  | { readonly kind: 'text'; readonly text: string; readonly inDescription: boolean }
  /** a part of the owner's name, and a part of the repository's name */
  | { readonly kind: 'path'; readonly owner: string; readonly name: string }
  /** a whole topic */
  | { readonly kind: 'topic'; readonly topic: string };

export const REPOSITORY_ORDERS = ['name', 'creation', 'change', 'size', 'stars', 'forks', 'id'] as const;

/** Equal repositories follow by id; equal names follow by the owner's name. */
export interface RepositoryOrder {
  readonly by: (typeof REPOSITORY_ORDERS)[number];
  readonly isDescending: boolean;
}

export const BY_NAME: RepositoryOrder = { by: 'name', isDescending: false };
