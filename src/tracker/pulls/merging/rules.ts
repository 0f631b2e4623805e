import { reaches } from '../../../api/access/levels.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { ForgeError } from '../../../base/core/failure.ts';
import { parseGlob } from '../../../base/core/text/globs.ts';
import type { Db } from '../../../base/database/database.ts';
import { approverCheck } from '../../../code/protection/approvers.ts';
import { Comparisons } from '../../../code/protection/comparisons.ts';
import { mayMerge, type ProtectionForViewer } from '../../../code/protection/model.ts';
import type { Protections } from '../../../code/protection/service.ts';
import type { Statuses } from '../../../code/statuses/service.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import type { PullSettings } from '../../../hosting/repositories/units.ts';
import { isClosable } from '../../issues/planning/dependencies/rules.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { MergeWish, PullState } from '../model.ts';
import { type ReviewFacts, readReviewFacts } from '../reviews/store/review-facts.ts';

/** The failure of a merge that is not allowed now: status 405. */
export function notMergeable(what: string): ForgeError {
  return new ForgeError({ kind: 'method_not_allowed', what });
}

const ALLOWED_BY: Readonly<Record<MergeWish['style'], keyof PullSettings>> = {
  merge: 'allowsMerge',
  rebase: 'allowsRebase',
  'rebase-merge': 'allowsRebaseMerge',
  squash: 'allowsSquash',
  'fast-forward-only': 'allowsFastForwardOnly',
  'manually-merged': 'allowsManualMerge',
};

/** @throws ForgeError `method_not_allowed` if the repository does not take merges of a style */
export function requireStyle(permitted: PermittedRepository, style: MergeWish['style']): void {
  if (!allowsStyle(permitted, style))
    throw notMergeable(`the repository does not allow merges of the style ${style}`);
}

/** Whether the repository takes merges of a style. */
export function allowsStyle({ repository }: PermittedRepository, style: MergeWish['style']): boolean {
  const { pulls } = repository.units;
  return pulls !== null && pulls[ALLOWED_BY[style]] === true;
}

/** @throws ForgeError `method_not_allowed` if the pull request depends on open issues: a merge would close it */
export async function requireNoDependency(
  db: Db,
  { permitted, pull }: Pick<MergeCandidate, 'permitted' | 'pull'>,
): Promise<void> {
  if (!(await isClosable(db, permitted.repository, pull.issueId)))
    throw notMergeable(
      'the pull request depends on open issues: close them first, or remove the dependencies',
    );
}

interface Dependencies {
  readonly protections: Protections;
  readonly statuses: Statuses;
}

/** A pull request that a viewer wants to merge. */
export interface MergeCandidate {
  readonly viewer: Viewer;
  readonly permitted: PermittedRepository;
  readonly pull: PullState;
  /** the branch of the base has commits that the head lacks */
  readonly isBehind: boolean;
}

/** The rules about merges that depend on rows. Rules about files and signatures are rules of pushes. */
export class MergeRules {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `method_not_allowed` if the viewer may not merge into the base at all */
  async requireMerger(db: Db, { viewer, permitted, pull }: MergeCandidate): Promise<void> {
    if (!reaches(permitted.units.code, 'write'))
      throw notMergeable('you may not merge: you may not write the code');
    const rule = await this.#ruleOf(db, viewer, permitted, pull);
    if (rule !== undefined && !mayMerge(rule))
      throw notMergeable(`the branch ${pull.baseBranch} is protected: you may not merge into it`);
  }

  /** Explains what the protection of the base still requires; undefined: nothing. */
  async problemWith(
    db: Db,
    { viewer, permitted, pull, isBehind }: MergeCandidate,
  ): Promise<string | undefined> {
    const rule = await this.#ruleOf(db, viewer, permitted, pull);
    if (rule === undefined) return undefined;
    const { settings } = rule;
    const { verdicts, requested } = await this.#countingFacts(db, pull);
    const approvals = verdicts.filter(
      ({ isApproval, isStale }) => isApproval && !(isStale && settings.ignoresStaleApprovals),
    );
    const missing = settings.requiredApprovals - approvals.length;
    if (missing > 0) return `${missing} more ${missing === 1 ? 'approval is' : 'approvals are'} required`;
    if (settings.blocksOnRejectedReviews && verdicts.some(({ isApproval }) => !isApproval))
      return 'a review requests changes';
    if (settings.blocksOnReviewRequests && requested.length > 0) return 'a requested review is missing';
    if (settings.blocksOnOutdatedBranch && isBehind)
      return 'the head lacks commits of the base: update it first';
    if (settings.hasStatusCheck) return this.#problemWithStatuses(db, permitted, pull.head.sha, rule);
    return undefined;
  }

  /** Whether an administrator may skip the protection of the base. */
  async maySkip(db: Db, { viewer, permitted, pull }: MergeCandidate): Promise<boolean> {
    if (!reaches(permitted.level, 'admin')) return false;
    const rule = await this.#ruleOf(db, viewer, permitted, pull);
    return rule?.settings.appliesToAdmins !== true;
  }

  /** Reads the verdicts that count, and the requests of reviewers whose verdicts would count. */
  async #countingFacts(
    db: Db,
    { issueId, repositoryId, baseBranch: branch }: PullState,
  ): Promise<ReviewFacts> {
    const { verdicts, requested } = await readReviewFacts(db, issueId);
    // Reviewers may have lost their rights since, and the base may be another one.
    const of = { repositoryId, branch };
    const reviewers = [...verdicts, ...requested];
    const isApprover = await approverCheck(this.#use.protections, db, of, reviewers);
    return { verdicts: verdicts.filter(isApprover), requested: requested.filter(isApprover) };
  }

  #ruleOf(
    db: Db,
    viewer: Viewer,
    { repository }: PermittedRepository,
    { baseBranch }: PullState,
  ): Promise<ProtectionForViewer | undefined> {
    return this.#use.protections.ofBranch(db, viewer, repository.id, baseBranch);
  }

  async #problemWithStatuses(
    db: Db,
    { repository }: PermittedRepository,
    commit: Oid,
    { settings }: ProtectionForViewer,
  ): Promise<string | undefined> {
    const latest = await this.#use.statuses.latest(db, { repository, commit });
    const comparisons = new Comparisons();
    for (const pattern of settings.statusContexts) {
      const globs = parseGlob(pattern, { alternativesMax: PULL_LIMITS.contextAlternativesMax }) ?? [];
      const found = latest.filter(
        ({ context }) =>
          context === pattern ||
          globs.some((glob) => comparisons.run((budget) => glob.matches(context, budget))),
      );
      if (found.length === 0) return `the status ${pattern} is missing`;
      const bad = found.find(({ state }) => !isGood(state));
      if (bad !== undefined) return `the status ${bad.context} is ${bad.state}`;
    }
    if (settings.statusContexts.length > 0) return undefined;
    const bad = latest.find(({ state }) => !isGood(state));
    return bad === undefined ? undefined : `the status ${bad.context} is ${bad.state}`;
  }
}

function isGood(state: string): boolean {
  return state === 'success' || state === 'skipped' || state === 'warning';
}
