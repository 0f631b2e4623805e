import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { numbersAt } from '../issues/tracker.ts';
import { ENGINE, PULLS, startEngine } from './pulls.ts';

const COUNT = ISSUE_LIMITS.issuesSortedMax + 100;
const OPEN_EVERY = 50;
const LIMIT = 50;

test('thousands of pull requests by the time of closing, with and without a label', async (t) => {
  const { forge, ada } = await startEngine(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'wet', color: '#00f' })).body.id;
  const repositoryId = (await ada.get(ENGINE)).body.id;
  const { database } = forge.forge.running.engines;
  // The oldest was closed last.
  await database.transaction(async (tx) => {
    await query(
      tx,
      fragment`insert into issues (repository_id, number, title, body, is_pull, is_closed, closed_at, created_at, updated_at)
        with recursive n (v) as (select 1 union all select v + 1 from n where v < ${COUNT})
        select ${repositoryId}, v, 'Made', '', 1, case v % ${OPEN_EVERY} when 0 then 0 else 1 end,
          case v % ${OPEN_EVERY} when 0 then null else cast(${COUNT} as bigint) - v end, 0, 0 from n`,
    );
    for (const statement of [
      fragment`insert into pulls (issue_id, repository_id, number, is_open, flow, base_branch, head_branch, has_head_branch, head_sha)
        select id, repository_id, number, 1 - is_closed, 'branch', 'main', 'pump' || number, 0, ${'e'.repeat(40)} from issues`,
      fragment`insert into issue_labels (issue_id, subject_id, repository_id, is_pull, is_closed, updated_at, comments_count)
        select id, cast(${label} as bigint), repository_id, is_pull, is_closed, updated_at, comments_count from issues`,
      fragment`update repositories set last_issue_number = ${COUNT}, open_pulls_count = ${COUNT / OPEN_EVERY},
        closed_pulls_count = ${COUNT - COUNT / OPEN_EVERY} where id = ${repositoryId}`,
    ])
      await query(tx, statement);
  });
  // A server in use does this by itself.
  if (database.dialect === 'postgres')
    await query(database.reader, raw('analyze issues, issue_labels, pulls'));
  const numbers = Array.from({ length: COUNT }, (_, at) => at + 1);
  const isOpen = (number: number) => number % OPEN_EVERY === 0;
  const closed = numbers.filter((number) => !isOpen(number));
  const expected = [...closed, ...numbers.filter(isOpen).toReversed()];

  for (const filter of ['', `&labels=${label}`])
    for (const page of [1, 2, COUNT / LIMIT]) {
      const url = `${PULLS}?state=all&sort=recentclose&limit=${LIMIT}&page=${page}${filter}`;
      assert.deepEqual(await numbersAt(ada, url), expected.slice((page - 1) * LIMIT, page * LIMIT), url);
    }
});
