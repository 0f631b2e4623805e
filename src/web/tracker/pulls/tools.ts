import type { Compare } from '../../../code/commits/compare.ts';
import type { DifferenceReader } from '../../../code/commits/differences.ts';
import type { Commits } from '../../../code/commits/service.ts';
import type { Statuses } from '../../../code/statuses/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { PullTemplates } from '../../../tracker/issue-templates/pull-templates.ts';
import type { Reactions } from '../../../tracker/issues/discussion/reactions/service.ts';
import type { Timelines } from '../../../tracker/issues/discussion/timeline/service.ts';
import type { Markdown } from '../../../tracker/markdown/service.ts';
import type { PullDiffs } from '../../../tracker/pulls/diffs/service.ts';
import type { HeadBranches } from '../../../tracker/pulls/merging/head-branches.ts';
import type { MergeOutlooks } from '../../../tracker/pulls/merging/outlook.ts';
import type { PullMerges } from '../../../tracker/pulls/merging/service.ts';
import type { PullUpdates } from '../../../tracker/pulls/merging/update.ts';
import type { ReviewComments } from '../../../tracker/pulls/reviews/comments.ts';
import type { Dismissals } from '../../../tracker/pulls/reviews/dismissals.ts';
import type { ReviewOverviews } from '../../../tracker/pulls/reviews/overviews.ts';
import type { ReviewRequests } from '../../../tracker/pulls/reviews/requests.ts';
import type { Reviews } from '../../../tracker/pulls/reviews/service.ts';
import type { Suggestions } from '../../../tracker/pulls/reviews/suggestions/service.ts';
import type { Pulls } from '../../../tracker/pulls/service.ts';

import type { SideServices } from '../parts/thread-side.ts';

/** What the pages of pull requests use. */
export interface PullTools extends SideServices {
  readonly commits: Commits;
  readonly statuses: Statuses;
  readonly markdown: Markdown;
  readonly timelines: Timelines;
  readonly reactions: Reactions;
  readonly differences: DifferenceReader;
  readonly compare: Compare;
  readonly pulls: Pulls;
  readonly pullDiffs: PullDiffs;
  readonly pullMerges: PullMerges;
  readonly pullUpdates: PullUpdates;
  readonly mergeOutlooks: MergeOutlooks;
  readonly headBranches: HeadBranches;
  readonly reviews: Reviews;
  readonly reviewComments: ReviewComments;
  readonly reviewOverviews: ReviewOverviews;
  readonly reviewRequests: ReviewRequests;
  readonly dismissals: Dismissals;
  readonly suggestions: Suggestions;
  readonly pullTemplates: PullTemplates;
  readonly addresses: Addresses;
}
