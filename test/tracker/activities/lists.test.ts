import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitFile, settle } from '../pulls/pulls.ts';
import { actsAt, feedAt, feedOf, feedOfUser, recorded } from './feeds.ts';

const PERFORMED = 'only-performed-by=true&limit=50';

test('the feed of a user has what the user did, and what others did in watched repositories', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.repository('quiet');
  await ben.put('/api/v1/repos/ada/engine/subscription');
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'A' });
  await ada.post('/api/v1/repos/ada/quiet/issues', { title: 'B' });
  await ben.post('/api/v1/repos/ada/quiet/issues', { title: 'C' });
  await recorded(forge);
  assert.deepEqual(await actsAt(ben, feedOfUser(ben)), [
    'create_repo ada',
    'create_issue ada 1|A',
    'create_issue ben 2|C',
  ]);
  assert.deepEqual(await actsAt(ben, feedOfUser(ben, PERFORMED)), ['create_issue ben 2|C']);
  const feed = await feedAt(ben, feedOfUser(ben));
  const { id } = (await ben.get('/api/v1/user')).body;
  assert.deepEqual(
    feed.map(({ user_id }) => user_id),
    [id, id, id],
  );
});

test('organizations and teams have feeds of their repositories', async (t) => {
  const forge = await startForge(t);
  const [ada, ben, cyd] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cyd'),
  ];
  const guild = await ada.post('/api/v1/orgs', { username: 'guild' });
  for (const name of ['engine', 'loom']) await ada.post('/api/v1/orgs/guild/repos', { name });
  const team = await ada.post('/api/v1/orgs/guild/teams', { name: 'weavers', permission: 'read' });
  await ada.put(`/api/v1/teams/${team.body.id}/repos/guild/loom`);
  await ada.put(`/api/v1/teams/${team.body.id}/members/ben`);
  for (const name of ['engine', 'loom'])
    await ben.post(`/api/v1/repos/guild/${name}/issues`, { title: name });
  await recorded(forge);
  assert.deepEqual(await actsAt(cyd, '/api/v1/orgs/guild/activities/feeds'), [
    'create_repo ada',
    'create_repo ada',
    'create_issue ben 1|engine',
    'create_issue ben 1|loom',
  ]);
  const ofTeam = `/api/v1/teams/${team.body.id}/activities/feeds`;
  assert.deepEqual(await actsAt(ben, ofTeam), ['create_repo ada', 'create_issue ben 1|loom']);
  assert.equal((await cyd.get(ofTeam)).status, 404);
  const [latest] = await feedAt(ben, ofTeam);
  assert.equal(latest.user_id, guild.body.id);
});

test('feeds have only what the viewer may read at the time of reading', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'A' });
  await ben.put('/api/v1/repos/ada/engine/subscription');
  await recorded(forge);
  const seen = async () => [
    (await actsAt(ben, feedOfUser(ada))).length,
    (await actsAt(ben, feedOfUser(ben))).length,
    (await actsAt(forge, feedOfUser(ada, PERFORMED))).length,
    (await actsAt(ada, feedOfUser(ada))).length,
  ];
  assert.deepEqual(await seen(), [2, 2, 2, 2]);
  await ada.patch('/api/v1/repos/ada/engine', { has_issues: false });
  assert.deepEqual(await seen(), [1, 1, 1, 1], 'issues are switched off');
  await ada.patch('/api/v1/repos/ada/engine', { has_issues: true, private: true });
  assert.deepEqual(await seen(), [0, 0, 0, 2], 'the repository is private');
  assert.equal((await ben.get(feedOf('ada/engine'))).status, 404);
  const [own] = await feedAt(ada, feedOfUser(ada));
  assert.equal(own.is_private, true);
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  assert.deepEqual((await seen()).slice(0, 1), [2], 'the viewer is a collaborator');
  await ada.delete('/api/v1/repos/ada/engine');
  assert.deepEqual(await seen(), [0, 0, 0, 0], 'the repository is deleted');
});

test('a member of a team sees the activities of the units that the team reads', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'engine', private: true, auto_init: true });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'readers',
    units_map: { 'repo.issues': 'read' },
    includes_all_repositories: true,
  });
  await ada.put(`/api/v1/teams/${team.body.id}/members/ben`);
  await ada.post('/api/v1/repos/guild/engine/issues', { title: 'A' });
  await commitFile(ada, 'a.txt', 'a', { repository: '/api/v1/repos/guild/engine' });
  await recorded(forge);
  const path = '/api/v1/orgs/guild/activities/feeds';
  assert.deepEqual(await actsAt(ben, path), ['create_repo ada', 'create_issue ada 1|A']);
  assert.equal((await actsAt(ada, path)).length, 3);
});

test('users who hide their activity, and hidden users, are in no feed of others', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ben.post('/api/v1/repos/ada/engine/issues', { title: 'B' });
  await recorded(forge);
  const seen = async () => [
    (await actsAt(ada, feedOf('ada/engine'))).length,
    (await actsAt(ada, feedOfUser(ben))).length,
    (await ada.get('/api/v1/users/ben/heatmap')).body?.length ?? 0,
    (await actsAt(ben, feedOfUser(ben))).length,
    (await ben.get('/api/v1/users/ben/heatmap')).body.length,
    (await actsAt(forge.root, feedOfUser(ben))).length,
  ];
  assert.deepEqual(await seen(), [2, 1, 1, 1, 1, 1]);
  await ben.patch('/api/v1/user/settings', { hide_activity: true });
  assert.deepEqual(await seen(), [1, 0, 0, 1, 1, 1]);
  await ben.patch('/api/v1/user/settings', { hide_activity: false });
  const { status } = await forge.root.patch('/api/v1/admin/users/ben', {
    visibility: 'private',
    login_name: 'ben',
    source_id: 0,
  });
  assert.equal(status, 200);
  assert.equal((await actsAt(ada, feedOf('ada/engine'))).length, 1);
  assert.equal((await ada.get(feedOfUser(ben))).status, 404);
  assert.equal((await ada.get('/api/v1/users/ben/heatmap')).status, 404);
});

test('a token without the scope of issues, and one for public things, see less', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'A' });
  await recorded(forge);
  const typesWith = async (scopes: readonly string[]) => {
    const as = { token: await ada.tokenFor(scopes) };
    const { status, body } = await forge.get(feedOfUser(ada), { as });
    return status === 200 ? body.map(({ op_type }: { op_type: string }) => op_type) : status;
  };
  const both = ['read:user', 'read:repository'];
  assert.deepEqual(await typesWith([...both, 'read:issue']), ['create_issue', 'create_repo']);
  assert.deepEqual(await typesWith(both), ['create_repo']);
  assert.deepEqual(await typesWith([...both, 'read:issue', 'public-only']), []);
  assert.equal(await typesWith(['read:user']), 403);
});

test('feeds have pages with a total, and days', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (let n = 1; n <= 4; n += 1) await ada.post('/api/v1/repos/ada/engine/issues', { title: `I${n}` });
  await recorded(forge);
  const { database } = forge.forge.running.engines;
  const at = Date.parse('2026-02-28T23:59:59.999Z');
  for (const [title, created_at] of [
    ['I1', at],
    ['I2', at + 1],
  ] as const)
    await database.transaction((tx) =>
      tx
        .updateTable('activities')
        .set({ created_at })
        .where('issue_id', 'in', (of) => of.selectFrom('issues').select('id').where('title', '=', title))
        .execute(),
    );
  for (const path of [feedOf('ada/engine').split('?')[0] ?? '', `/api/v1/users/ada/activities/feeds`]) {
    const { body, headers } = await ada.get(`${path}?limit=2&page=2`);
    assert.deepEqual(
      body.map(({ content, op_type }: { content: string; op_type: string }) => content || op_type),
      ['create_repo', '2|I2'],
      path,
    );
    assert.equal(headers.get('x-total-count'), '5');
    assert.match(headers.get('link') ?? '', /page=3/);
    assert.deepEqual((await ada.get(`${path}?limit=2&page=9`)).body, []);
    assert.deepEqual(await actsAt(ada, `${path}?date=2026-02-28`), ['create_issue ada 1|I1']);
    assert.deepEqual(await actsAt(ada, `${path}?date=2026-03-01`), ['create_issue ada 2|I2']);
    assert.deepEqual(await actsAt(ada, `${path}?date=`), await actsAt(ada, path));
    for (const date of ['2026-02-31', 'yesterday', '2026-02-28T00:00:00Z'])
      assert.equal((await ada.get(`${path}?date=${date}`)).status, 422, date);
  }
  const { headers } = await ada.get('/api/v1/users/ada/activities/feeds');
  const again = await ada.get('/api/v1/users/ada/activities/feeds', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
});

test('a feed ends after a bounded number of activities', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id, owner } = await ada.repository('engine');
  const { database } = forge.forge.running.engines;
  const row = {
    op_type: 'star_repo',
    unit: 0,
    actor_id: owner.id,
    repository_id: id,
    owner_id: owner.id,
    ref_name: '',
    content: '',
    created_at: 1,
  };
  await database.transaction(async (tx) => {
    for (let n = 0; n < 11; n += 1)
      await tx
        .insertInto('activities')
        .values(Array.from({ length: 100 }, () => row))
        .execute();
  });
  for (const path of [feedOf('ada/engine'), feedOfUser(ada)]) {
    const { headers } = await ada.get(path);
    assert.equal(headers.get('x-total-count'), '1000');
    assert.equal((await ada.get(`${path}&page=20`)).body.length, 50);
    assert.equal((await ada.get(`${path}&page=21`)).body.length, 0);
  }
});

test('a heatmap counts quarters of an hour of the last year that the viewer may see', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.repository('hidden', { private: true });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await recorded(forge);
  const quarter = 15 * 60_000;
  const today = Math.floor(Date.now() / quarter) * quarter;
  const { database } = forge.forge.running.engines;
  const times: Record<string, number> = {
    engine: today - quarter,
    hidden: today - 1,
    loom: today - 400 * 24 * 4 * quarter,
  };
  for (const [name, created_at] of Object.entries(times))
    await database.transaction((tx) =>
      tx
        .updateTable('activities')
        .set({ created_at })
        .where('repository_id', 'in', (of) =>
          of.selectFrom('repositories').select('id').where('name', '=', name),
        )
        .execute(),
    );
  const at = (ms: number) => Math.floor(ms / quarter) * (quarter / 1000);
  const of = async (who: { get(path: string): Promise<{ body: unknown }> }, name = 'ada') =>
    (await who.get(`/api/v1/users/${name}/heatmap`)).body;
  assert.deepEqual(await of(ada), [{ timestamp: at(today - quarter), contributions: 2 }]);
  assert.deepEqual(await of(ben), [{ timestamp: at(today - quarter), contributions: 1 }]);
  assert.deepEqual(await of(forge), [{ timestamp: at(today - quarter), contributions: 1 }]);
  assert.deepEqual(await of(ada, 'guild'), []);
  assert.deepEqual(await of(ben, 'ben'), []);
  assert.equal((await forge.get('/api/v1/users/nobody-here/heatmap')).status, 404);
  await settle(forge);
});
