import type { RepositoryId } from '../../git/model.ts';

/** Which repositories a list holds, of those that its viewer sees, and in which order. What is absent leaves none out. */
export interface RepositorySelection {
  readonly of?: PersonsPart;
  /** only forks of this one */
  readonly parentId?: RepositoryId;
  /** only those that this team has */
  readonly teamId?: number;
  /** only those that this account has starred */
  readonly starredBy?: number;
  readonly is?: Partial<Record<RepositoryTrait, boolean>>;
  /** any of these; none: whatever they say */
  readonly words?: readonly SearchWords[];
  /** without what not everybody sees, though the viewer does */
  readonly onlyOpenToAll?: boolean;
  readonly order?: RepositoryOrder;
  /** whose repositories come before all others, each part in order */
  readonly firstOwnerId?: number;
}

export interface PersonsPart {
  readonly accountId: number;
  /** owned by this account, or such that it has by a collaboration or a team, or either */
  readonly part: 'owned' | 'contributed' | 'both';
}

export type RepositoryTrait = 'private' | 'fork' | 'mirror' | 'template' | 'archived';

/** All in lower case. */
export type SearchWords =
  /** in the name, or in a topic, or in the description where that is asked for */
  | { readonly kind: 'text'; readonly text: string; readonly inDescription: boolean }
  /** parts of the owner's name and of the repository's */
  | { readonly kind: 'path'; readonly owner: string; readonly name: string }
  /** the whole of a topic */
  | { readonly kind: 'topic'; readonly topic: string };

export const REPOSITORY_ORDERS = ['name', 'creation', 'change', 'size', 'stars', 'forks', 'id'] as const;

/** Where two are equal, by id; by name: by the owner's. */
export interface RepositoryOrder {
  readonly by: (typeof REPOSITORY_ORDERS)[number];
  readonly isDescending: boolean;
}

export const BY_NAME: RepositoryOrder = { by: 'name', isDescending: false };
