import { operationsOn } from '../../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { timeRangeOf } from '../../options.ts';
import { ISSUE_URL } from '../../urls.ts';
import { TIME } from './actions.ts';
import { newTimeOf, timeFilterOf } from './options.ts';
import { StopwatchAnswer, TimeAnswer } from './present.ts';
import { AddTimeBody, OwnTimeQuery, TimeQuery } from './schema.ts';
import type { Times } from './service.ts';
import type { Stopwatches } from './stopwatches.ts';

const TIMES_URL = `${ISSUE_URL}/times` as const;
const STOPWATCH_URL = `${ISSUE_URL}/stopwatch` as const;

interface Given {
  readonly times: Times;
  readonly stopwatches: Stopwatches;
  readonly addresses: Addresses;
}

export function timeRoutes(app: App, given: Given): void {
  issueTimeRoutes(app, given);
  listRoutes(app, given);
  stopwatchRoutes(app, given);
}

function issueTimeRoutes(app: App, { times, addresses }: Given): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { listRequired } = preconditionsOn(TimeAnswer, addresses);

  api.list(TIMES_URL, TIME.read, {
    id: 'issueTrackedTimes',
    isTagged: true,
    summary: 'List the times that users worked on an issue; only your own, unless you may write issues',
    failures: ['invalid'],
    query: TimeQuery,
    answer: TimeAnswer,
    handle: ({ viewer, path, params: { number }, query, paging }) =>
      times.list(viewer, { repository: path, number }, timeFilterOf(query), paging),
  });

  api.post(TIMES_URL, TIME.change, {
    id: 'issueAddTime',
    summary: 'Add time that you worked on an issue',
    failures: ['archived', 'bad_request', 'invalid', 'precondition_failed'],
    body: AddTimeBody,
    answer: TimeAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      times.add(viewer, { repository: path, number }, newTimeOf(body), listRequired(request)),
  });

  api.delete(TIMES_URL, TIME.change, {
    id: 'issueResetTime',
    summary: 'Delete all your times of an issue',
    failures: ['archived', 'bad_request', 'precondition_failed'],
    handle: ({ viewer, path, params: { number }, request }) =>
      times.reset(viewer, { repository: path, number }, listRequired(request)),
  });

  api.delete(`${TIMES_URL}/:id`, TIME.change, {
    id: 'issueDeleteTime',
    summary: 'Delete a time of an issue; as an administrator, also that of another user',
    failures: ['archived', 'bad_request', 'precondition_failed'],
    handle: ({ viewer, path, params: { number, id }, request }) =>
      times.delete(viewer, { repository: path, number }, id, listRequired(request)),
  });
}

function listRoutes(app: App, { times, stopwatches, addresses }: Given): void {
  const ofRepository = operationsOn(app, { tag: 'repository', addresses });
  const ofUser = operationsOn(app, { tag: 'user', addresses });

  ofRepository.list('/repos/:owner/:repo/times', TIME.read, {
    id: 'repoTrackedTimes',
    isTagged: true,
    summary: 'List the times of the issues of a repository; only your own, unless you may write issues',
    failures: ['bad_request', 'invalid'],
    query: TimeQuery,
    answer: TimeAnswer,
    handle: ({ viewer, path, query, paging }) =>
      times.listOfRepository(viewer, path, timeFilterOf(query), paging),
  });

  ofRepository.list('/repos/:owner/:repo/times/:username', TIME.read, {
    id: 'userTrackedTimes',
    isTagged: true,
    deprecated: true,
    summary: 'List the times of a user in a repository',
    failures: ['bad_request'],
    answer: TimeAnswer,
    handle: ({ viewer, path, params, paging }) => times.listOfUser(viewer, path, params.username, paging),
  });

  ofUser.list('/user/times', TIME.listOwn, {
    id: 'userCurrentTrackedTimes',
    isTagged: true,
    summary: 'List the times that you worked on issues',
    failures: ['invalid'],
    query: OwnTimeQuery,
    answer: TimeAnswer,
    handle: ({ viewer, query, paging }) => times.listOwn(viewer, timeRangeOf(query), paging),
  });

  ofUser.list('/user/stopwatches', TIME.listOwn, {
    id: 'userGetStopWatches',
    summary: 'List your running stopwatch',
    answer: StopwatchAnswer,
    handle: ({ viewer, paging }) => stopwatches.listOwn(viewer, paging),
  });
}

function stopwatchRoutes(app: App, { stopwatches, addresses }: Given): void {
  const api = operationsOn(app, { tag: 'issue', addresses });

  api.post(`${STOPWATCH_URL}/start`, TIME.watch, {
    id: 'issueStartStopWatch',
    summary: 'Start your stopwatch on an issue, and stop it on any other one',
    failures: ['archived', 'conflict'],
    status: 201,
    handle: ({ viewer, path, params: { number } }) => stopwatches.start(viewer, { repository: path, number }),
  });

  api.post(`${STOPWATCH_URL}/stop`, TIME.watch, {
    id: 'issueStopStopWatch',
    summary: 'Stop your stopwatch on an issue, and add its time',
    failures: ['archived', 'conflict', 'invalid'],
    status: 201,
    handle: ({ viewer, path, params: { number } }) => stopwatches.stop(viewer, { repository: path, number }),
  });

  api.delete(`${STOPWATCH_URL}/delete`, TIME.watch, {
    id: 'issueDeleteStopWatch',
    summary: 'Cancel your stopwatch on an issue',
    failures: ['archived', 'conflict'],
    handle: ({ viewer, path, params: { number } }) =>
      stopwatches.cancel(viewer, { repository: path, number }),
  });
}
