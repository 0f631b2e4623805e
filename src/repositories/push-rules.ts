import { ForgeError, forbidden, invalid } from '../core/failure.ts';
import type { RefUpdate } from '../git/model.ts';
import { refChangeProblem } from '../git/refs/ref-names.ts';
import type { Repository } from './model.ts';

/** Who moves refs. */
export type PushOrigin =
  /** a git client */
  | { readonly kind: 'push' }
  /** a call of the API */
  | { readonly kind: 'api' }
  /** The server writes the first refs of a pending repository, for a client that came over `via`. */
  | { readonly kind: 'creation'; readonly via: 'push' | 'api' }
  /** The server copies the refs of a mirror from its source. */
  | { readonly kind: 'mirror' };

/** The facts about a repository that rules decide on. */
export type Pushable = Pick<
  Repository,
  'id' | 'owner' | 'name' | 'defaultBranch' | 'archivedAt' | 'isMirror'
>;

export interface PushFacts {
  readonly repository: Pushable;
  readonly origin: PushOrigin;
}

/**
 * Decides whether refs may move. A rule looks only at its arguments.
 *
 * Rules with `isRechecked` depend on rows, which may change while a pack arrives. They run again in the transaction
 * that moves the refs, on the rows as they are then.
 */
export type PushRule = {
  readonly name: string;
  readonly isRechecked: boolean;
} & (
  | {
      /** A denial rejects the whole push. */
      readonly scope: 'push';
      deny(push: PushFacts): ForgeError | undefined;
    }
  | {
      /** A denial rejects one update; in the transaction, it rejects the whole push. */
      readonly scope: 'update';
      deny(push: PushFacts, update: RefUpdate): ForgeError | undefined;
    }
);

export const ARCHIVED_RULE: PushRule = {
  name: 'archived',
  scope: 'push',
  isRechecked: true,
  deny({ repository: { owner, name, archivedAt } }) {
    if (archivedAt === null) return undefined;
    const what = `the repository ${owner.name}/${name} is archived and takes no changes`;
    return new ForgeError({ kind: 'archived', what });
  },
};

export const MIRROR_RULE: PushRule = {
  name: 'mirror',
  scope: 'push',
  isRechecked: true,
  deny({ repository, origin }) {
    if (!repository.isMirror || origin.kind === 'mirror') return undefined;
    return forbidden('this repository is a mirror: it takes changes from its source alone');
  },
};

export const DEFAULT_BRANCH_RULE: PushRule = {
  name: 'default-branch',
  scope: 'update',
  isRechecked: true,
  deny({ repository }, update) {
    const isDefault = update.ref === `refs/heads/${repository.defaultBranch}`;
    return isDefault && update.new === null ? forbidden('the default branch cannot be deleted') : undefined;
  },
};

export const REF_NAME_RULE: PushRule = {
  name: 'ref-name',
  scope: 'update',
  isRechecked: false,
  deny(_push, update) {
    const problem = refChangeProblem(update);
    return problem === undefined ? undefined : invalid(problem);
  },
};
