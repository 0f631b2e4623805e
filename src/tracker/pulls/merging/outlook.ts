import { reaches } from '../../../api/access/levels.ts';
import { isSignedIn, type SignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { isFailure, undefinedIf } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { BranchChanges } from '../../../code/branches/write.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { UPDATE_STYLES, type UpdateStyle } from '../../../hosting/repositories/units.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import { findVisibleAccounts } from '../../../people/accounts/visible.ts';
import { isDraft } from '../../issues/rules.ts';
import { requireHeadWriter } from '../heads/writing.ts';
import type { MergeWish, Pull } from '../model.ts';
import { isHeadOfOpen } from '../store/merges.ts';
import { findScheduled } from '../store/scheduled.ts';
import type { MergeMessages } from './compose.ts';
import type { Message } from './messages.ts';
import { MERGE_WISH_STYLES } from './options.ts';
import { allowsStyle, type MergeRules, requireNoDependency } from './rules.ts';

/** What a merge on trial has shown. `unknown`: the check of both branches as they are now is not done. */
export type Mergeability =
  | 'unknown'
  | 'clean'
  | 'conflict'
  | 'contained'
  | 'unrelated'
  | 'failed'
  | 'no-base';

/** A style of merge that the repository allows, with the message that its commit gets; null: its commits have theirs. */
export interface OfferedStyle {
  readonly style: MergeWish['style'];
  readonly message: Message | null;
}

/** A merge that waits for the protection of the base. */
export interface WaitingMerge {
  /** null: hidden from the viewer */
  readonly by: ShownAccount | null;
  readonly style: MergeWish['style'];
  readonly mayCancel: boolean;
}

/** What stands between an open pull request and its merge by a viewer. */
export interface MergeOutlook {
  readonly mergeability: Mergeability;
  /** the base has commits that the head lacks */
  readonly isBehind: boolean;
  readonly isDraft: boolean;
  readonly isBlockedByIssues: boolean;
  /** why the viewer may not merge at all; undefined: the viewer may */
  readonly denial: string | undefined;
  /** what the protection of the base still requires; undefined: nothing */
  readonly requirement: string | undefined;
  /** Whether the viewer may skip what the protection requires. */
  readonly maySkip: boolean;
  /** for a viewer who may merge, the default one first */
  readonly styles: readonly OfferedStyle[];
  readonly waiting: WaitingMerge | null;
  /** how the viewer may bring the base into the head, the default one first */
  readonly updates: readonly UpdateStyle[];
}

/** What a viewer may do with the branch of a head that is merged or closed. */
export type BranchAfterwards = 'deletable' | 'restorable' | 'none';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly repositories: Repositories;
  readonly rules: MergeRules;
  readonly messages: MergeMessages;
  readonly branchChanges: BranchChanges;
}

/** Finds out what a viewer can do with a pull request, for pages: the services decide again when it is done. */
export class MergeOutlooks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @param pull that was read for the viewer, and is open @throws ForgeError `busy` */
  async read(viewer: Viewer, pull: Pull): Promise<MergeOutlook> {
    const db = this.#use.database.reader;
    const { rules } = this.#use;
    const { state, base: permitted, baseTip, issue } = pull;
    const isBehind = baseTip !== null && baseTip !== state.mergeBase;
    const candidate = { viewer, permitted, pull: state, isBehind };
    const denial = await rules.requireMerger(db, candidate).then(() => undefined, reasonOf);
    const dependency = await requireNoDependency(db, candidate).then(() => undefined, reasonOf);
    const mayMerge = isSignedIn(viewer) && denial === undefined;
    return {
      mergeability: mergeabilityOf(pull),
      isBehind,
      isDraft: isDraft(issue.title),
      isBlockedByIssues: dependency !== undefined,
      denial,
      requirement: await rules.problemWith(db, candidate),
      maySkip: mayMerge && (await rules.maySkip(db, candidate)),
      styles: mayMerge ? await this.#styles(viewer, pull) : [],
      waiting: await this.#waiting(viewer, pull),
      updates: isBehind && isSignedIn(viewer) ? await this.#updates(viewer, pull) : [],
    };
  }

  /** @param pull that was read for the viewer, and is merged or closed */
  async branchAfterwards(viewer: Viewer, { state, headRepository }: Pull): Promise<BranchAfterwards> {
    const { head, flow, repositoryId } = state;
    if (!isSignedIn(viewer) || flow !== 'branch' || headRepository === null) return 'none';
    if (!reaches(headRepository.units.code, 'write') || headRepository.repository.archivedAt !== null)
      return 'none';
    const tip = (await this.#use.git.refs.open(headRepository.repository.id)).ref(branchRef(head.branch));
    if (tip === undefined) return this.#hasCommit(headRepository.repository.id, head.sha);
    const isDefault = head.branch === headRepository.repository.defaultBranch;
    const isBase = head.repositoryId === repositoryId && head.branch === state.baseBranch;
    if (tip !== head.sha || isDefault || isBase) return 'none';
    const isUsed = await isHeadOfOpen(this.#use.database.reader, headRepository.repository.id, head.branch);
    return isUsed ? 'none' : 'deletable';
  }

  async #hasCommit(repositoryId: number, sha: Oid): Promise<BranchAfterwards> {
    const { objects } = await this.#use.git.refs.open(repositoryId);
    return (await objects.info(sha)) === undefined ? 'none' : 'restorable';
  }

  async #styles(viewer: SignedIn, pull: Pull): Promise<readonly OfferedStyle[]> {
    const { base, baseTip } = pull;
    if (baseTip === null) return [];
    const byDefault = base.repository.units.pulls?.defaultMergeStyle;
    const allowed = MERGE_WISH_STYLES.filter((style) => allowsStyle(base, style));
    const styles = allowed.toSorted((one, other) => Number(other === byDefault) - Number(one === byDefault));
    const { messages } = this.#use;
    return Promise.all(
      styles.map(async (style) => ({ style, message: await messages.preview(viewer, pull, style) })),
    );
  }

  async #waiting(viewer: Viewer, { state, base }: Pull): Promise<WaitingMerge | null> {
    const db = this.#use.database.reader;
    const scheduled = await findScheduled(db, state.issueId);
    if (scheduled === undefined) return null;
    const { accountId } = scheduled.by;
    const accounts = await findVisibleAccounts(db, viewer, [accountId]);
    const isOwn = isSignedIn(viewer) && viewer.accountId === accountId;
    return {
      by: accounts.get(accountId) ?? null,
      style: scheduled.wish.style,
      mayCancel: isOwn || (isSignedIn(viewer) && reaches(base.level, 'admin')),
    };
  }

  async #updates(viewer: SignedIn, { state, base }: Pull): Promise<readonly UpdateStyle[]> {
    const writer = await requireHeadWriter(this.#use, viewer, state).catch(
      undefinedIf('forbidden', 'invalid', 'not_found'),
    );
    if (writer === undefined || writer.repository.archivedAt !== null) return [];
    const { pulls } = base.repository.units;
    const allowed = UPDATE_STYLES.filter((style) => style === 'merge' || pulls?.allowsRebaseUpdate === true);
    const byDefault = pulls?.defaultUpdateStyle ?? 'merge';
    return allowed.toSorted((one, other) => Number(other === byDefault) - Number(one === byDefault));
  }
}

function mergeabilityOf({ state, baseTip }: Pull): Mergeability {
  const { check, head } = state;
  if (baseTip === null) return 'no-base';
  if (check === null || check.base !== baseTip || check.head !== head.sha) return 'unknown';
  return check.outcome;
}

/** Returns why a merge is not allowed. */
function reasonOf(error: unknown): string {
  if (!isFailure(error, 'method_not_allowed')) throw error;
  return error.failure.what;
}
