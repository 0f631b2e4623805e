import type { Viewer } from '../../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import { branchRef, refChangeProblem } from '../../../git/format/ref-names.ts';
import type { RefUpdate } from '../../../git/interface/refs.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import type { Repository } from '../model.ts';

/** Who moves refs. */
export type PushOrigin =
  /** a git client */
  | ({ readonly kind: 'push' } & ByMaintainer)
  /** a call of the API */
  | ApiOrigin
  /** The server writes the first refs of a pending repository, for a client that came over `via`. */
  | { readonly kind: 'creation'; readonly via: 'push' | 'api' }
  /** The server copies the refs of a mirror from its source. */
  | { readonly kind: 'mirror' };

interface ByMaintainer {
  /**
   * The pusher may not write the repository, but these branches are heads of pull requests that let people who maintain
   * the base write them.
   */
  readonly maintains?: true;
}

interface ApiOrigin extends ByMaintainer {
  readonly kind: 'api';
  /** full names of a branch before and after a rename by an authorized caller */
  readonly renamed?: { readonly from: string; readonly to: string };
  /** Notes that the server itself saves: the push writes the rows of their notebook, too. */
  readonly saves?: 'notes';
  /**
   * The server merges a pull request. Other rules than those of pushes say who may merge, and the caller has checked
   * them. `by-force`: an administrator skips the rules that may be skipped.
   */
  readonly merges?: 'by-rules' | 'by-force';
}

/** Whether the server copies what others have written: from a source, a template or a parent. */
export function isCopy(origin: PushOrigin): boolean {
  return origin.kind === 'mirror' || (origin.kind === 'creation' && origin.via === 'api');
}

/** Returns what the event of a push says of its origin. */
export function sourceOf(origin: PushOrigin): { via: 'push' | 'api' | 'mirror'; ofCreation?: true } {
  if (origin.kind !== 'creation') return { via: origin.kind };
  return isCopy(origin) ? { via: origin.via, ofCreation: true } : { via: origin.via };
}

/** The facts about a repository that rules decide on. */
export type Pushable = Pick<
  Repository,
  'id' | 'owner' | 'name' | 'defaultBranch' | 'archivedAt' | 'isMirror' | 'isPrivate'
>;

export interface PushFacts {
  readonly repository: Pushable;
  readonly origin: PushOrigin;
}

/** A push whose objects have arrived, with the updates that no other rule has denied. */
export interface ExaminedPush extends PushFacts {
  readonly pusher: Viewer;
  readonly session: WriteSession;
  readonly updates: readonly RefUpdate[];
}

/** The decision of a rule that reads rows and objects. */
export interface Examination {
  readonly denials: ReadonlyMap<string, ForgeError>;
  /** Whether the rows that decided are unchanged. Called in the transaction that moves the refs. */
  stillHolds(tx: Tx): Promise<boolean>;
}

/**
 * Decides whether refs may move. A rule looks only at its arguments, except one with the scope `examination`.
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
  | {
      /** Reads rows and objects before the transaction, which only checks that the rows are the same. */
      readonly scope: 'examination';
      examine(push: ExaminedPush): Promise<Examination>;
    }
);

const ARCHIVED_RULE: PushRule = {
  name: 'archived',
  scope: 'push',
  isRechecked: true,
  deny: ({ repository }) => archivedDenial(repository),
};

type Archivable = Pick<Pushable, 'owner' | 'name' | 'archivedAt'>;

function archivedDenial({ owner, name, archivedAt }: Archivable): ForgeError | undefined {
  if (archivedAt === null) return undefined;
  const what = `the repository ${owner.name}/${name} is archived and takes no changes`;
  return new ForgeError({ kind: 'archived', what });
}

/**
 * For changes of rows that belong to the code, such as statuses and protections.
 *
 * @throws ForgeError `archived`
 */
export function requireNotArchived(repository: Archivable): void {
  const denial = archivedDenial(repository);
  if (denial !== undefined) throw denial;
}

const MIRROR_RULE: PushRule = {
  name: 'mirror',
  scope: 'push',
  isRechecked: true,
  deny({ repository, origin }) {
    if (!repository.isMirror || origin.kind === 'mirror') return undefined;
    return forbidden('this repository is a mirror: it takes changes from its source alone');
  },
};

const DEFAULT_BRANCH_RULE: PushRule = {
  name: 'default-branch',
  scope: 'update',
  isRechecked: true,
  deny({ repository, origin }, update) {
    if (update.new !== null || update.ref !== branchRef(repository.defaultBranch)) return undefined;
    if (isRenameOf(origin, update.ref)) return undefined;
    return forbidden('the default branch cannot be deleted');
  },
};

/** Whether the ref goes because its branch gets another name. */
export function isRenameOf(origin: PushOrigin, ref: string): boolean {
  return origin.kind === 'api' && origin.renamed?.from === ref;
}

const REF_NAME_RULE: PushRule = {
  name: 'ref-name',
  scope: 'update',
  isRechecked: false,
  deny(_push, update) {
    const problem = refChangeProblem(update);
    return problem === undefined ? undefined : invalid(problem);
  },
};

/** The rules about repositories and names of refs. They decide before the rules that other features add. */
export const FIRST_RULES: readonly PushRule[] = [
  ARCHIVED_RULE,
  MIRROR_RULE,
  DEFAULT_BRANCH_RULE,
  REF_NAME_RULE,
];
