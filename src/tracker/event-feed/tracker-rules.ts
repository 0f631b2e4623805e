import { ISSUE } from '../issues/actions.ts';
import { ISSUE_REACTION_CREATED, ISSUE_REACTION_DELETED } from '../issues/discussion/reactions/events.ts';
import {
  ISSUE_COMMENT_CHANGED,
  ISSUE_COMMENT_CREATED,
  ISSUE_COMMENT_DELETED,
} from '../issues/models/comment-events.ts';
import {
  ISSUE_ASSIGNEES_CHANGED,
  ISSUE_CHANGED,
  ISSUE_CLOSED,
  ISSUE_CREATED,
  ISSUE_DELETED,
  ISSUE_LABELS_CHANGED,
  ISSUE_REOPENED,
  ISSUE_SUBSCRIBED,
  ISSUE_UNSUBSCRIBED,
  PULL_READY,
} from '../issues/models/events.ts';
import { ISSUE_DEPENDENCIES_CHANGED } from '../issues/planning/dependencies/events.ts';
import {
  ISSUE_LOCKED,
  ISSUE_PINNED,
  ISSUE_UNLOCKED,
  ISSUE_UNPINNED,
} from '../issues/planning/marks/events.ts';
import {
  ISSUE_STOPWATCH_ENDED,
  ISSUE_STOPWATCH_STARTED,
  ISSUE_TIME_ADDED,
  ISSUE_TIMES_DELETED,
} from '../issues/planning/times/events.ts';
import { LABEL } from '../labels/actions.ts';
import { LABEL_CHANGED, LABEL_CREATED, LABEL_DELETED } from '../labels/events.ts';
import { MILESTONE } from '../milestones/actions.ts';
import { MILESTONE_CHANGED, MILESTONE_CREATED, MILESTONE_DELETED } from '../milestones/events.ts';
import { PULL } from '../pulls/actions.ts';
import {
  PULL_COMMENT_CREATED,
  PULL_COMMENT_DELETED,
  PULL_COMMENT_RESOLVED,
  PULL_MERGED,
  PULL_OPENED,
  PULL_RETARGETED,
  PULL_REVIEW_DELETED,
  PULL_REVIEW_DISMISSED,
  PULL_REVIEW_REQUESTED,
  PULL_REVIEWED,
  PULL_SYNCHRONIZED,
} from '../pulls/events.ts';
import { RELEASE } from '../releases/actions.ts';
import {
  RELEASE_DELETED,
  RELEASE_DRAFT_CHANGED,
  RELEASE_PUBLISHED,
  RELEASE_UPDATED,
} from '../releases/events.ts';
import { ACCOUNT_ID, FROM_TO, PERSON, type Rules, ruled } from './rule.ts';

const NUMBERED = { issueId: {}, number: {}, isPull: {} } as const;
const ofIssue = { on: 'repository', action: ISSUE.read, unit: 'issue' } as const;
const ofTracker = { on: 'repository', unit: 'tracker' } as const;
const shownLabel = {
  shown: { labelId: {}, name: {}, changed: {} },
  former: ['name', 'color', 'isExclusive', 'isArchived'],
} as const;
const ofPull = { on: 'repository', action: PULL.read, unit: 'pulls' } as const;
const shownRelease = { releaseId: {}, tag: {}, title: {}, isPrerelease: {} } as const;
const ofReleases = { on: 'repository', unit: 'releases' } as const;
const PULL_NUMBERED = { issueId: {}, number: {} } as const;

/** Rules of events about issues, pull requests, labels, milestones and releases. */
export const TRACKER_RULES: Rules = [
  // Texts that people have changed or deleted are gone, so neither titles nor former texts are shown.
  ...ruled([ISSUE_CREATED, ISSUE_REOPENED, ISSUE_DELETED, PULL_READY], { ...ofIssue, shown: NUMBERED }),
  ...ruled([ISSUE_CLOSED], { ...ofIssue, shown: { ...NUMBERED, byMerge: {} } }),
  ...ruled([ISSUE_CHANGED], {
    ...ofIssue,
    shown: { ...NUMBERED, changed: {} },
    former: ['ref', 'milestoneId', 'dueAt'],
  }),
  ...ruled([ISSUE_LABELS_CHANGED], { ...ofIssue, shown: { ...NUMBERED, added: {}, removed: {} } }),
  ...ruled([ISSUE_ASSIGNEES_CHANGED], { ...ofIssue, shown: { ...NUMBERED, added: PERSON, removed: PERSON } }),
  ...ruled([ISSUE_SUBSCRIBED, ISSUE_UNSUBSCRIBED], { ...ofIssue, shown: { ...NUMBERED, ...ACCOUNT_ID } }),
  // The other issues may be in repositories that the viewer does not see.
  ...ruled([ISSUE_DEPENDENCIES_CHANGED], { ...ofIssue, shown: NUMBERED }),
  ...ruled([ISSUE_COMMENT_CREATED, ISSUE_COMMENT_CHANGED, ISSUE_COMMENT_DELETED], {
    ...ofIssue,
    shown: { ...NUMBERED, commentId: {} },
  }),
  ...ruled([ISSUE_REACTION_CREATED, ISSUE_REACTION_DELETED], {
    ...ofIssue,
    shown: { ...NUMBERED, commentId: {}, content: {} },
  }),
  ...ruled([ISSUE_LOCKED, ISSUE_UNLOCKED, ISSUE_PINNED, ISSUE_UNPINNED], {
    ...ofIssue,
    shown: { ...NUMBERED, reason: {}, position: {} },
  }),
  ...ruled([ISSUE_TIME_ADDED], {
    ...ofIssue,
    shown: { ...NUMBERED, timeId: {}, userId: { as: 'user', isPerson: true }, seconds: {} },
    onlyFor: 'userId',
  }),
  ...ruled([ISSUE_TIMES_DELETED], {
    ...ofIssue,
    shown: { ...NUMBERED, timeIds: {}, seconds: {} },
    onlyFor: 'actor',
  }),
  ...ruled([ISSUE_STOPWATCH_STARTED, ISSUE_STOPWATCH_ENDED], {
    ...ofIssue,
    shown: { ...NUMBERED, isStopped: {} },
    onlyFor: 'actor',
  }),
  ...ruled([LABEL_CREATED, LABEL_CHANGED, LABEL_DELETED], {
    ...ofTracker,
    action: LABEL.read,
    ...shownLabel,
  }),
  ...ruled([MILESTONE_CREATED, MILESTONE_CHANGED, MILESTONE_DELETED], {
    ...ofTracker,
    action: MILESTONE.read,
    shown: { milestoneId: {}, title: {}, changed: {} },
    former: ['title', 'dueAt', 'isClosed'],
  }),
  // The repository of the head may be hidden: the record of the pull request names it to readers who see it.
  ...ruled([PULL_OPENED], { ...ofPull, shown: { ...PULL_NUMBERED, base: {}, head: {}, sha: {} } }),
  ...ruled([PULL_SYNCHRONIZED], { ...ofPull, shown: { ...PULL_NUMBERED, before: {}, after: {} } }),
  ...ruled([PULL_RETARGETED], { ...ofPull, shown: { ...PULL_NUMBERED, ...FROM_TO } }),
  ...ruled([PULL_MERGED], { ...ofPull, shown: { ...PULL_NUMBERED, sha: {}, style: {}, isScheduled: {} } }),
  ...ruled([PULL_REVIEWED, PULL_REVIEW_DELETED, PULL_REVIEW_DISMISSED], {
    ...ofPull,
    shown: { ...PULL_NUMBERED, reviewId: {}, state: {}, isDismissed: {} },
  }),
  // A team is hidden from viewers outside of its organization.
  ...ruled([PULL_REVIEW_REQUESTED], {
    ...ofPull,
    shown: { ...PULL_NUMBERED, ...ACCOUNT_ID, isRemoved: {} },
  }),
  ...ruled([PULL_COMMENT_CREATED, PULL_COMMENT_DELETED, PULL_COMMENT_RESOLVED], {
    ...ofPull,
    shown: { ...PULL_NUMBERED, reviewId: {}, commentId: {}, isResolved: {} },
  }),
  ...ruled([RELEASE_PUBLISHED, RELEASE_UPDATED, RELEASE_DELETED], {
    ...ofReleases,
    action: RELEASE.read,
    shown: { ...shownRelease, changed: {} },
    former: ['tag', 'target', 'title', 'isDraft', 'isPrerelease', 'hidesArchives'],
  }),
  ...ruled([RELEASE_DRAFT_CHANGED], {
    ...ofReleases,
    action: RELEASE.readDrafts,
    shown: { ...shownRelease, action: {} },
  }),
];

/** Rules of events about labels of organizations. They have the names of those of repositories. */
export const ORGANIZATION_LABEL_RULES: Rules = ruled([LABEL_CREATED, LABEL_CHANGED, LABEL_DELETED], {
  on: 'organization',
  action: LABEL.readOfOrganization,
  ...shownLabel,
});
