import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIVITY_LIMITS } from '../../../src/tracker/activities/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitFile, ENGINE, startEngine } from '../pulls/pulls.ts';
import { actsAt, feedAt, feedOf, recorded } from './feeds.ts';

const DAY_MS = 24 * 60 * 60_000;

test('activities are deleted after their time', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.post(`${ENGINE}/issues`, { title: 'It rattles' });
  await recorded(forge);
  const { engines, services } = forge.forge.running;
  const kept = Date.now() - ACTIVITY_LIMITS.keptMs;
  for (const [type, created_at] of [
    ['create_repo', kept - DAY_MS],
    ['create_issue', kept + DAY_MS],
  ] as const)
    await engines.database.transaction((tx) =>
      tx.updateTable('activities').set({ created_at }).where('op_type', '=', type).execute(),
    );
  await services.jobs.runDue({ aheadMs: ACTIVITY_LIMITS.pruneEveryMs });
  assert.deepEqual(await actsAt(ada, feedOf('ada/engine')), ['create_issue ada 1|It rattles']);
});

test('a push whose objects cannot be read has no commits, and delays no other event', async (t) => {
  const { forge, ada } = await startEngine(t);
  const { git } = forge.forge.running.engines;
  const { open } = git.refs;
  forge.stopAfterTest();
  git.refs.open = (id) =>
    new Error().stack?.includes('activities/recorder')
      ? Promise.reject(new Error('disk failed'))
      : open.call(git.refs, id);
  await commitFile(ada, 'a.txt', 'a');
  await ada.post(`${ENGINE}/issues`, { title: 'It rattles' });
  await recorded(forge);
  const feed = await feedAt(ada, feedOf('ada/engine'));
  assert.deepEqual(
    feed.map(({ op_type }) => op_type),
    ['create_issue', 'commit_repo', 'create_repo'],
  );
  assert.deepEqual(JSON.parse(feed[1].content), { Commits: [], HeadCommit: null, CompareURL: '', Len: 0 });
});

test('each event of several writers is recorded once and in order', async (t) => {
  const forge = await startForge(t);
  const people = [await forge.account('ada'), await forge.account('ben'), await forge.account('cyd')];
  await people[0]?.repository('engine');
  await Promise.all(
    people.map(async (who) => {
      for (let n = 0; n < 8; n += 1) await who.post(`${ENGINE}/issues`, { title: who.name });
    }),
  );
  await recorded(forge);
  const acts = await actsAt(forge.root, feedOf('ada/engine'));
  const numbers = acts.slice(1).map((act) => Number(/ (\d+)\|/.exec(act)?.[1]));
  assert.deepEqual(
    numbers.toSorted((one, other) => one - other),
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
});
