import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { BranchChanges } from '../../code/branches/write.ts';
import type { Commits } from '../../code/commits/service.ts';
import type { Protections } from '../../code/protection/service.ts';
import type { Statuses } from '../../code/statuses/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { BranchWriter } from '../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { CommitReferences } from '../issues/discussion/references/commits.ts';
import type { IssueMarks } from '../issues/planning/marks/service.ts';
import type { Issues } from '../issues/service.ts';
import { applyRoutes } from './applying/routes.ts';
import { AppliedCommits } from './applying/service.ts';
import { CheckJobs } from './checks/jobs.ts';
import { PullChecks } from './checks/service.ts';
import { PullsOfCommits } from './diffs/of-commits.ts';
import { pullDiffRoutes } from './diffs/routes.ts';
import { PullDiffs } from './diffs/service.ts';
import { PullProposals } from './from-git/proposals.ts';
import { PullRemarks } from './from-git/remarks.ts';
import { HeadFollower } from './heads/follow.ts';
import { AfterMerge } from './merging/after-merge.ts';
import { MergeMessages } from './merging/compose.ts';
import { FoundMerges } from './merging/found-merges.ts';
import { HeadBranches } from './merging/head-branches.ts';
import { MergeOutlooks } from './merging/outlook.ts';
import { MergeRecorder } from './merging/recorder.ts';
import { mergeRoutes } from './merging/routes.ts';
import { MergeRules } from './merging/rules.ts';
import { ScheduledMerges } from './merging/scheduled.ts';
import { PullMerges } from './merging/service.ts';
import { PullUpdates } from './merging/update.ts';
import { PullOpener } from './opening.ts';
import { Retargeting } from './retargeting.ts';
import { ReviewComments } from './reviews/comments.ts';
import { Dismissals } from './reviews/dismissals.ts';
import { ReviewFollower } from './reviews/follow.ts';
import { FollowingLines } from './reviews/follow-lines.ts';
import { DiffLines } from './reviews/lines.ts';
import { ReviewOverviews } from './reviews/overviews.ts';
import { CodeOwners } from './reviews/owners/service.ts';
import { ReviewRequests } from './reviews/requests.ts';
import { reviewRoutes } from './reviews/routes.ts';
import { Reviews } from './reviews/service.ts';
import { suggestionRoutes } from './reviews/suggestions/routes.ts';
import { Suggestions } from './reviews/suggestions/service.ts';
import { pullRoutes } from './routes.ts';
import { Pulls } from './service.ts';
import { PullStaging } from './staging/service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly jobs: Jobs;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
  readonly commits: Commits;
  readonly issues: Issues;
  readonly marks: IssueMarks;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly branches: BranchWriter;
  readonly branchChanges: BranchChanges;
  readonly commitReferences: CommitReferences;
  readonly protections: Protections;
  readonly statuses: Statuses;
  readonly organizations: Organizations;
  readonly teams: Teams;
}

export function createPulls(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const checks = new PullChecks(dependencies);
  const checkJobs = new CheckJobs({ ...dependencies, checks });
  const headFollower = new HeadFollower({ ...dependencies, checkJobs });
  const opener = new PullOpener({ ...dependencies, checkJobs, headFollower });
  const retargeting = new Retargeting({ checkJobs });
  const pulls = new Pulls({ ...dependencies, checks, checkJobs, headFollower, opener, retargeting });
  const rules = new MergeRules(dependencies);
  const messages = new MergeMessages(dependencies);
  const afterMerge = new AfterMerge({ ...dependencies, retargeting });
  const recorder = new MergeRecorder({ afterMerge });
  const merges = new PullMerges({ ...dependencies, rules, messages, recorder, afterMerge });
  const foundMerges = new FoundMerges({ ...dependencies, recorder });
  checkJobs.contained.subscribe((issueId) => foundMerges.record(issueId));
  const scheduledMerges = new ScheduledMerges({ ...dependencies, merges });
  const updates = new PullUpdates(dependencies);
  const mergeOutlooks = new MergeOutlooks({ ...dependencies, rules, messages });
  const headBranches = new HeadBranches({ ...dependencies, afterMerge });
  const pullDiffs = new PullDiffs({ ...dependencies, pulls });
  const pullsOfCommits = new PullsOfCommits({ ...dependencies, pulls });
  const appliedCommits = new AppliedCommits({ ...dependencies, pulls });
  const pullProposals = new PullProposals({ ...dependencies, headFollower, opener });
  const pullRemarks = new PullRemarks(dependencies);
  const suggestions = new Suggestions(dependencies);
  const { reviews, reviewFollower, followingLines, codeOwners, ...reviewing } = createReviews(dependencies);
  const pullStaging = new PullStaging({ ...dependencies, checkJobs, headFollower, followingLines });
  opener.opened.subscribe((tx, issueId) => codeOwners.enqueue(tx, issueId));
  retargeting.retargeted.subscribe((tx, change) => reviewFollower.whenBaseChanges(tx, change));
  headFollower.headMoving.subscribe(
    (tx, move) => reviewFollower.whenHeadMoves(tx, move),
    (tx, move) => scheduledMerges.whenHeadMoves(tx, move),
  );
  reviews.changed.subscribe((tx, issueId) => scheduledMerges.whenReviewsChange(tx, issueId));
  return {
    services: {
      pulls,
      headFollower,
      scheduledMerges,
      pullDiffs,
      pullStaging,
      pullProposals,
      pullRemarks,
      reviews,
      codeOwners,
      pullMerges: merges,
      pullUpdates: updates,
      mergeOutlooks,
      headBranches,
      suggestions,
      ...reviewing,
    },
    routes: {
      api: (app: App) => {
        pullRoutes(app, { pulls, addresses });
        pullDiffRoutes(app, { pullDiffs, pullsOfCommits, addresses });
        mergeRoutes(app, { merges, updates, addresses });
        applyRoutes(app, { appliedCommits, addresses });
        reviewRoutes(app, { reviews, ...reviewing, addresses });
        suggestionRoutes(app, { suggestions, addresses });
      },
    },
  };
}

function createReviews(dependencies: Dependencies) {
  const diffLines = new DiffLines(dependencies);
  const followingLines = new FollowingLines(dependencies);
  const reviews = new Reviews({ ...dependencies, diffLines, followingLines });
  const parts = { ...dependencies, reviews, diffLines, followingLines };
  const reviewRequests = new ReviewRequests(parts);
  return {
    reviews,
    followingLines,
    reviewRequests,
    codeOwners: new CodeOwners({ ...parts, reviewRequests }),
    reviewComments: new ReviewComments(parts),
    reviewOverviews: new ReviewOverviews(parts),
    dismissals: new Dismissals(parts),
    reviewFollower: new ReviewFollower(parts),
  };
}
