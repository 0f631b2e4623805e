import { operationsOn } from '../../../../api/operations/operations.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { ISSUE } from '../../actions.ts';
import { timeRangeOf } from '../../options.ts';
import { ISSUE_URL } from '../../urls.ts';
import { CommentQuery } from '../comments/schema.ts';
import { TimelineAnswer } from './present.ts';
import type { Timelines } from './service.ts';

interface Dependencies {
  readonly timelines: Timelines;
  readonly addresses: Addresses;
}

export function timelineRoutes(app: App, { timelines, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });

  api.list(`${ISSUE_URL}/timeline`, ISSUE.read, {
    id: 'issueGetCommentsAndTimeline',
    isTagged: true,
    summary: 'List what happened to an issue, and its comments',
    failures: ['invalid'],
    query: CommentQuery,
    answer: TimelineAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      timelines.list(viewer, { repository: path, number: params.number }, timeRangeOf(query), paging),
  });
}
