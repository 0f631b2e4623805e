import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { REFERENCE_LIMITS } from '../../../src/tracker/references/limits.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker } from './tracker.ts';

/** Lists the references in the timelines of issues, as `title of the issue: what refers to it`. */
async function referencesTo({ forge }: TestForge): Promise<readonly string[]> {
  const rows = await query<{ title: string; kind: string; details: string; author: string; other: string }>(
    forge.running.engines.database.reader,
    fragment`select i.title, e.kind, e.details, a.name as author from issue_entries e
      join issues i on i.id = e.issue_id join accounts a on a.id = e.author_id
      where e.kind in ('issue_ref', 'pull_ref', 'comment_ref', 'commit_ref') order by e.id`,
  );
  return rows.map(({ title, kind, details, author }) => {
    const { refAction = 'none' } = JSON.parse(details);
    return `${title}: ${kind} by ${author}, ${refAction}`;
  });
}

test('a text mentions users who may read the issue, and lists find it by them', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t, { private: true });
  await open(ada, 'One', { body: 'Ask @Ben, @cid and @no-such-user; not `@ada`.' });
  const two = await open(ben, 'Two', { body: 'Nothing' });
  const mentioning = (name: string) => numbersAt(ada, `${ISSUES}?mentioned_by=${name}`);

  assert.deepEqual(
    [await mentioning('ben'), await mentioning('cid'), await mentioning('ada')],
    [[1], [], []],
  );
  await ben.patch(`${ISSUES}/${two.number}`, { body: 'Now @ada' });
  await ben.patch(`${ISSUES}/${two.number}`, { title: 'Still' });
  assert.deepEqual(await mentioning('ada'), [2]);
  assert.equal((await cid.get(`${ISSUES}?mentioned_by=ben`)).status, 404);
  await ada.patch('/api/v1/repos/ada/engine', { private: false });
  const names = Array.from(
    { length: REFERENCE_LIMITS.referencesPerTextMax + 5 },
    (_, each) => `@no-user-${each}`,
  );
  await open(cid, 'Many', { body: `${names.join(' ')} @cid` });
  assert.deepEqual(await mentioning('cid'), []);
  assert.equal((await forge.get(`${ISSUES}?mentioned_by=ben`)).body.length, 1);
});

test('a member of an organization mentions its teams, and others do not', async (t) => {
  const guild = await startGuild(t);
  await guild.repository('engine');
  const url = '/api/v1/repos/guild/engine/issues';
  const stranger = await guild.forge.account('stranger');
  await open(guild.ada, 'From a member', { body: 'Ask @guild/owners and @other/owners' }, url);
  await open(stranger, 'From a stranger', { body: 'Ask @guild/owners' }, url);

  assert.deepEqual(await numbersAt(guild.ada, `${url}?mentioned_by=ada`), [1]);
});

test('a text that refers to another issue leaves one entry there, if its writer may read that issue', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await ada.repository('hidden', { private: true });
  await ada.repository('old');
  await open(ada, 'Secret', {}, '/api/v1/repos/ada/hidden/issues');
  await open(ada, 'Archived', {}, '/api/v1/repos/ada/old/issues');
  await ada.patch('/api/v1/repos/ada/old', { archived: true });
  await open(ada, 'First');
  const body = `See #1, #2, #99, !1, ada/engine#1, ada/hidden#1, ada/old#1, no/such#1 and ${forge.url}/ada/hidden/issues/1`;
  await open(cid, 'Second', { body });

  assert.deepEqual(await referencesTo(forge), ['First: issue_ref by cid, none']);
  await cid.patch(`${ISSUES}/2`, { body: 'Fixes #1. Again #1' });
  await ben.patch(`${ISSUES}/2`, { title: 'Renamed' });
  assert.deepEqual(await referencesTo(forge), ['First: issue_ref by cid, none']);
  await open(ada, 'Third', { body: 'Closes ada/hidden#1, reopens #2' });
  assert.deepEqual((await referencesTo(forge)).slice(1), [
    'Secret: issue_ref by ada, closes',
    'Renamed: issue_ref by ada, reopens',
  ]);
  const comment = (await ben.post(`${ISSUES}/3/comments`, { body: 'Fixes #1 for @cid' })).body.id;
  await ben.patch(`${ENGINE}/issues/comments/${comment}`, { body: 'Fixes #1 and closes #2' });
  assert.deepEqual((await referencesTo(forge)).slice(3), [
    'First: comment_ref by ben, closes',
    'Renamed: comment_ref by ben, closes',
  ]);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?mentioned_by=cid`), [3]);
});

test('a title refers to issues as a text does, but mentions no user', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await ada.repository('hidden', { private: true });
  await open(ada, 'Secret', {}, '/api/v1/repos/ada/hidden/issues');
  await open(ada, 'First');
  await open(ada, 'Second');
  await open(cid, 'After #1 and ada/hidden#1, for @ben', { body: 'Fixes #1' });

  assert.deepEqual(await referencesTo(forge), ['First: issue_ref by cid, closes']);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?mentioned_by=ben`), []);
  await ben.patch(`${ISSUES}/3`, { title: 'Closes #1, and ada/engine#2' });
  assert.deepEqual((await referencesTo(forge)).slice(1), ['Second: issue_ref by ben, none']);
  await ada.patch(`${ISSUES}/2`, { title: 'Second (#3), after ada/hidden#1', body: 'Reopens #3' });
  assert.deepEqual((await referencesTo(forge)).slice(2), [
    'Secret: issue_ref by ada, none',
    'Closes #1, and ada/engine#2: issue_ref by ada, reopens',
  ]);
});
