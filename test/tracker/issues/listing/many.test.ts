import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../../src/base/database/fragment.ts';
import { query } from '../../../../src/base/database/query.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker, type Tracker, type Wire } from '../tracker.ts';

const COUNT = 5_100;
const CLOSED_AFTER = 3_600;
const FIRST_MS = Date.parse('2020-01-01T00:00:00Z');
const MINUTE_MS = 60_000;
const LIMIT = 50;

interface Row {
  readonly number: number;
  readonly isClosed: boolean;
  readonly isByBen: boolean;
  readonly isPlanned: boolean;
  readonly updatedAt: number;
  readonly comments: number;
  readonly dueAt: number | null;
}

/**
 * What `makeIssues` makes: each issue has the label `bug`, and the oldest was updated last. The newest are all closed, so that
 * the closed ones are not evenly spread among the others.
 */
const ROWS: readonly Row[] = Array.from({ length: COUNT }, (_, at) => ({
  number: at + 1,
  isClosed: (at + 1) % 5 === 0 || at + 1 > CLOSED_AFTER,
  isByBen: (at + 1) % 2 === 0,
  isPlanned: (at + 1) % 3 === 0,
  updatedAt: FIRST_MS + (COUNT - at - 1) * MINUTE_MS,
  comments: (at + 1) % 4,
  dueAt: (at + 1) % 7 === 0 ? FIRST_MS + ((at + 1) % 11) * MINUTE_MS : null,
}));
const CLOSED_COUNT = ROWS.filter(({ isClosed }) => isClosed).length;

type Case = readonly [string, (row: Row) => boolean, (one: Row, other: Row) => number];

/** Creates more issues than a list looks at one by one, as rows. */
async function makeIssues({ forge, ada, ben }: Tracker): Promise<number> {
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body.id;
  const repository = (await ada.get(ENGINE)).body.id;
  const [adaId, benId] = [(await ada.get('/api/v1/user')).body.id, (await ben.get('/api/v1/user')).body.id];
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await query(
      tx,
      fragment`insert into issues
        (repository_id, number, author_id, title, body, milestone_id, is_closed, created_at, updated_at, comments_count, due_at)
        with recursive n (v) as (select 1 union all select v + 1 from n where v < ${COUNT})
        select ${repository}, v, case v % 2 when 0 then cast(${benId} as bigint) else cast(${adaId} as bigint) end, 'Made', '',
          case v % 3 when 0 then cast(${milestone} as bigint) end, case when v % 5 = 0 or v > ${CLOSED_AFTER} then 1 else 0 end,
          cast(${FIRST_MS} as bigint), cast(${FIRST_MS} as bigint) + (${COUNT} - v) * ${MINUTE_MS},
          v % 4, case v % 7 when 0 then cast(${FIRST_MS} as bigint) + (v % 11) * ${MINUTE_MS} end from n`,
    );
    await query(
      tx,
      fragment`insert into issue_labels (issue_id, subject_id, repository_id, is_pull, is_closed, updated_at, comments_count, due_at)
        select id, cast(${label} as bigint), repository_id, is_pull, is_closed, updated_at, comments_count, due_at from issues`,
    );
    await query(
      tx,
      fragment`update repositories set last_issue_number = ${COUNT}, closed_issues_count = ${CLOSED_COUNT},
        open_issues_count = ${COUNT - CLOSED_COUNT} where id = ${repository}`,
    );
  });
  // A server in use does this by itself.
  if (database.dialect === 'postgres')
    await query(database.reader, raw('analyze issues, issue_labels, repositories'));
  return label;
}

test('filters of thousands of issues, their totals and their pages from the first to the last', async (t) => {
  const tracker = await startTracker(t);
  const { ada } = tracker;
  await makeIssues(tracker);
  const middle = ROWS[2_550]?.updatedAt ?? 0;
  const since = `since=${new Date(middle).toISOString()}`;
  const before = `before=${new Date(middle).toISOString()}`;
  const newest = (one: Row, other: Row) => other.number - one.number;
  const oldest = (one: Row, other: Row) => one.number - other.number;
  const first = ROWS[4_900]?.updatedAt ?? 0;
  const early = `since=${new Date(first).toISOString()}`;
  const mostComments = (one: Row, other: Row) => other.comments - one.comments || newest(one, other);
  const due = ({ dueAt }: Row, without: number) => dueAt ?? without;
  const dueFirst = (one: Row, other: Row) =>
    due(one, Number.MAX_SAFE_INTEGER) - due(other, Number.MAX_SAFE_INTEGER) || oldest(one, other);
  const dueLast = (one: Row, other: Row) => due(other, -1) - due(one, -1) || newest(one, other);
  const cases: readonly Case[] = [
    ['state=all', () => true, newest],
    ['labels=bug', ({ isClosed }) => !isClosed, newest],
    ['labels=bug&state=all', () => true, newest],
    ['labels=bug&state=all&sort=recentupdate', () => true, oldest],
    ['labels=bug&state=all&sort=leastupdate', () => true, newest],
    // Those with the same number of comments, or without a due date, are sorted by their numbers.
    ...['', 'labels=bug&'].flatMap((label): Case[] => [
      [`${label}state=all&sort=mostcomment`, () => true, mostComments],
      [`${label}state=all&sort=leastcomment`, () => true, (one, other) => mostComments(other, one)],
      [`${label}state=all&sort=nearduedate`, () => true, dueFirst],
      [`${label}state=all&sort=farduedate`, () => true, dueLast],
      [`${label}state=all&${since}&sort=mostcomment`, ({ updatedAt }) => updatedAt >= middle, mostComments],
      [`${label}state=all&${before}&sort=nearduedate`, ({ updatedAt }) => updatedAt <= middle, dueFirst],
    ]),
    [`state=all&${since}`, ({ updatedAt }) => updatedAt >= middle, newest],
    [`state=all&${early}`, ({ updatedAt }) => updatedAt >= first, newest],
    [
      `state=all&${early}&${before}&sort=oldest`,
      ({ updatedAt }) => updatedAt >= first && updatedAt <= middle,
      oldest,
    ],
    [`labels=bug&state=all&${since}`, ({ updatedAt }) => updatedAt >= middle, newest],
    [`labels=bug&${before}`, ({ updatedAt, isClosed }) => updatedAt <= middle && !isClosed, newest],
    ['labels=bug&created_by=ben&state=all', ({ isByBen }) => isByBen, newest],
    ['milestones=First&created_by=ben&state=all', ({ isByBen, isPlanned }) => isByBen && isPlanned, newest],
    [
      `labels=bug&milestones=First&created_by=ben&${since}&sort=oldest`,
      ({ isByBen, isPlanned, isClosed, updatedAt }) =>
        isByBen && isPlanned && !isClosed && updatedAt >= middle,
      oldest,
    ],
  ];
  for (const [filter, matches, order] of cases) {
    const wanted = ROWS.filter(matches)
      .toSorted(order)
      .map(({ number }) => number);
    const last = Math.ceil(wanted.length / LIMIT);
    for (const page of new Set([1, Math.ceil(last / 3), Math.ceil(last / 2), last, last + 1])) {
      const answer = await ada.get(`${ISSUES}?${filter}&limit=${LIMIT}&page=${page}`);
      const numbers = answer.body.map(({ number }: Wire) => number);
      assert.deepEqual(numbers, wanted.slice((page - 1) * LIMIT, page * LIMIT), `${filter} page ${page}`);
      assert.equal(answer.headers.get('x-total-count'), String(wanted.length), filter);
    }
  }
});

test('a search finds words among thousands of issues that match its filter, and among few', async (t) => {
  const tracker = await startTracker(t);
  const { ada, ben, cid } = tracker;
  const bug = await makeIssues(tracker);
  const { number } = await open(ada, 'The pump leaks', { labels: [bug] });
  const { number: other } = await open(ben, 'Pumps', { labels: [bug] });
  for (const near of [7, 10]) await ben.post(`${ISSUES}/${near}/comments`, { body: 'Near the pump' });
  const { number: unlabeled } = await open(cid, 'The tank leaks');
  const all = [other, number, 7];
  const cases: Readonly<Record<string, readonly number[]>> = {
    'q=pump': all,
    'labels=bug&q=pump': all,
    'labels=bug&q=%22the+pump%22': [number, 7],
    'created_by=ben&q=pump': [other],
    'created_by=ben&labels=bug&q=leaks': [],
    'q=leaks': [unlabeled, number],
    'labels=bug&q=leaks': [number],
    'labels=bug&state=all&q=%22the+pump%22': [number, 10, 7],
    [`since=${new Date(FIRST_MS + COUNT * MINUTE_MS).toISOString()}&q=pump`]: all,
    [`since=${new Date(FIRST_MS + COUNT * MINUTE_MS).toISOString()}&q=%22the+pump%22`]: [number, 7],
    [`before=${new Date(FIRST_MS + COUNT * MINUTE_MS).toISOString()}&q=pump`]: [],
  };
  for (const [query, numbers] of Object.entries(cases))
    assert.deepEqual(await numbersAt(ada, `${ISSUES}?${query}`), numbers, query);
  for (const query of ['q=pump', 'labels=bug&q=pump', 'owner=ada&q=pump', 'owner=ada&labels=bug&q=pump'])
    assert.deepEqual(await numbersAt(ada, `/api/v1/repos/issues/search?${query}`), all, query);
  const listed = await ada.get(`/api/v1/repos/issues/search?owner=ada&labels=bug&limit=1`);
  assert.equal(listed.headers.get('x-total-count'), '1000');
});

const COMMENTS = 20_200;

test('a list of the comments of a repository finds and counts those in any range of time, on each page', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'The pump leaks');
  const { database } = forge.forge.running.engines;
  const updatedAt = (at: number) => FIRST_MS + (COMMENTS - at - 1) * MINUTE_MS;
  await database.transaction(async (tx) => {
    await query(
      tx,
      fragment`insert into issue_entries (issue_id, repository_id, kind, body, details, created_at, updated_at)
        with recursive n (v) as (select 0 union all select v + 1 from n where v < ${COMMENTS - 1})
        select i.id, i.repository_id, 'comment', cast(v as text), '{}', cast(${FIRST_MS} as bigint),
          cast(${FIRST_MS} as bigint) + (${COMMENTS - 1} - v) * ${MINUTE_MS} from n cross join issues i order by n.v`,
    );
    await query(tx, fragment`update issues set comments_count = ${COMMENTS}`);
    await query(tx, fragment`update repositories set comments_count = ${COMMENTS} where comments_count = 0`);
  });
  // A server in use does this by itself.
  if (database.dialect === 'postgres') await query(database.reader, raw('analyze issue_entries'));
  const places = [undefined, -5, 0, 60, 10_000, COMMENTS - 70, COMMENTS - 1, COMMENTS + 5];
  const timeOf = (place: number) => new Date(updatedAt(place)).toISOString();
  for (const oldest of places) {
    for (const newest of places) {
      const since = oldest === undefined ? '' : `&since=${timeOf(oldest)}`;
      const before = newest === undefined ? '' : `&before=${timeOf(newest)}`;
      // The first comment was changed last.
      const [from, to] = [Math.max(newest ?? 0, 0), Math.min(oldest ?? COMMENTS - 1, COMMENTS - 1)];
      const count = Math.max(to - from + 1, 0);
      const last = Math.max(1, Math.ceil(count / LIMIT));
      for (const page of new Set([1, Math.ceil(last / 2), last])) {
        const answer = await ada.get(
          `${ENGINE}/issues/comments?limit=${LIMIT}&page=${page}${since}${before}`,
        );
        const first = from + (page - 1) * LIMIT;
        const wanted = Array.from({ length: Math.min(LIMIT, Math.max(to - first + 1, 0)) }, (_, at) =>
          String(first + at),
        );
        const where = `page ${page}${since}${before}`;
        assert.deepEqual(
          answer.body.map(({ body }: Wire) => body),
          wanted,
          where,
        );
        assert.equal(answer.headers.get('x-total-count'), String(count), where);
      }
    }
  }
});
