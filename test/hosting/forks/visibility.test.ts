import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

/** A fork is seen by no more users than its parent, whatever happens to either of them or to their owners. */

const KIND = 'repository.visibility-changed';

async function isPrivate(forge: TestForge, ...paths: readonly string[]): Promise<readonly boolean[]> {
  const records = await Promise.all(paths.map((path) => forge.root.get(`/api/v1/repos/${path}`)));
  return records.map(({ body }) => body.private);
}

async function fork(by: Person, path: string, organization?: string): Promise<void> {
  const { status, text } = await by.post(`/api/v1/repos/${path}/forks`, { organization });
  assert.equal(status, 202, text);
}

function setVisibility(forge: TestForge, account: string, visibility: string) {
  return forge.root.patch(`/api/v1/admin/users/${account}`, { visibility });
}

async function organization(by: Person, username: string, visibility: string): Promise<void> {
  assert.equal((await by.post('/api/v1/orgs', { username, visibility })).status, 201);
}

/** Returns the actors of the changes since the last call. */
function watchChanges(forge: TestForge) {
  let seen = 0;
  return async () => {
    const all = await eventsOf(forge.forge.running.engines.database, KIND);
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh.map(({ actor, ...change }) => {
      assert.deepEqual(change, { kind: KIND, from: 'public', to: 'private' });
      return actor;
    });
  };
}

/** The public repository ada/engine, ben's fork of it and cas's fork of ben's fork. Lin and moe are limited users. */
async function startChain(t: TestContext) {
  const forge = await startForge(t);
  const [ada, ben, cas] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cas'),
  ];
  const lin = await forge.account('lin', { visibility: 'limited' });
  const moe = await forge.account('moe', { visibility: 'limited' });
  await ada.repository('engine');
  await fork(ben, 'ada/engine');
  await fork(cas, 'ben/engine');
  return { forge, ada, ben, cas, lin, moe, changes: watchChanges(forge) };
}

test('private forks of a repository that becomes public stay private, and a fork follows its parent only when asked', async (t) => {
  const { forge, ada, ben } = await startChain(t);
  const chain = ['ada/engine', 'ben/engine', 'cas/engine'];
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  assert.deepEqual(await isPrivate(forge, ...chain), [true, true, true]);

  await ada.patch('/api/v1/repos/ada/engine', { private: false });
  assert.deepEqual(await isPrivate(forge, ...chain), [false, true, true]);
  assert.equal((await forge.get('/api/v1/repos/ben/engine')).status, 404);

  assert.equal((await ben.patch('/api/v1/repos/ben/engine', { private: true })).body.private, false);
  assert.deepEqual(await isPrivate(forge, ...chain), [false, false, true]);
});

test('a fork that moves to a more visible owner becomes private, with its own forks', async (t) => {
  const { forge, ben, lin, moe, changes } = await startChain(t);
  const cleo = await forge.account('cleo', { visibility: 'limited' });
  await lin.repository('shy');
  await fork(moe, 'lin/shy');
  await fork(cleo, 'moe/shy');
  assert.deepEqual(await isPrivate(forge, 'moe/shy', 'cleo/shy'), [false, false]);
  await organization(moe, 'club', 'limited');
  await organization(moe, 'open', 'public');
  await ben.put('/api/v1/user/starred/moe/shy');

  const kept = await moe.post('/api/v1/repos/moe/shy/transfer', { new_owner: 'club' });
  assert.equal(kept.body.private, false);
  assert.deepEqual(await changes(), []);
  const moved = await moe.post('/api/v1/repos/club/shy/transfer', { new_owner: 'open' });

  assert.deepEqual([moved.status, moved.body.private, moved.body.stars_count], [202, true, 0]);
  assert.deepEqual(await isPrivate(forge, 'lin/shy', 'cleo/shy'), [false, true]);
  assert.deepEqual(await changes(), ['moe', 'moe']);
  assert.equal((await forge.get('/api/v1/repos/open/shy')).status, 404);
});

test('a fork that a more visible user accepts becomes private', async (t) => {
  const { forge, ben, lin, moe, changes } = await startChain(t);
  await lin.repository('shy');
  await fork(moe, 'lin/shy');
  await moe.post('/api/v1/repos/moe/shy/transfer', { new_owner: 'ben' });
  assert.deepEqual(await isPrivate(forge, 'moe/shy'), [false]);

  const accepted = await ben.post('/api/v1/repos/moe/shy/transfer/accept');

  assert.deepEqual([accepted.status, accepted.body.private], [202, true]);
  assert.deepEqual(await changes(), ['ben']);
});

test('a repository that moves to a less visible owner makes those forks private that more users would see', async (t) => {
  const { forge, ada, lin, changes } = await startChain(t);
  await fork(lin, 'ada/engine');
  await organization(ada, 'club', 'limited');
  await organization(ada, 'lodge', 'private');

  await ada.post('/api/v1/repos/ada/engine/transfer', { new_owner: 'club' });
  const forks = ['ben/engine', 'cas/engine', 'lin/engine'];
  assert.deepEqual(await isPrivate(forge, 'club/engine', ...forks), [false, true, true, false]);
  assert.deepEqual(await changes(), ['ada', 'ada']);

  await ada.post('/api/v1/repos/club/engine/transfer', { new_owner: 'lodge' });
  assert.deepEqual(await isPrivate(forge, 'lodge/engine', ...forks), [false, true, true, true]);
  assert.deepEqual(await changes(), ['ada']);

  await ada.post('/api/v1/repos/lodge/engine/transfer', { new_owner: 'ada' });
  assert.deepEqual(await isPrivate(forge, 'ada/engine', ...forks), [false, true, true, true]);
  assert.deepEqual(await changes(), []);
});

test('a user who becomes less visible makes those forks private that more users would see', async (t) => {
  const { forge, lin, changes } = await startChain(t);
  await fork(lin, 'ada/engine');
  const forks = ['ben/engine', 'cas/engine', 'lin/engine'];

  await setVisibility(forge, 'cas', 'limited');
  assert.deepEqual(await changes(), [], 'a fork may be seen by fewer users than its parent');
  await setVisibility(forge, 'ada', 'limited');
  assert.deepEqual(await isPrivate(forge, 'ada/engine', ...forks), [false, true, true, false]);
  assert.deepEqual(await changes(), ['root', 'root']);
  await setVisibility(forge, 'ada', 'private');
  assert.deepEqual(await isPrivate(forge, 'ada/engine', ...forks), [false, true, true, true]);
  assert.deepEqual(await changes(), ['root']);

  await setVisibility(forge, 'ada', 'public');
  assert.deepEqual(await isPrivate(forge, 'ada/engine', ...forks), [false, true, true, true]);
  assert.deepEqual(await changes(), []);
});

test('a user who becomes more visible keeps forks of less visible owners to those who saw them by making them private', async (t) => {
  const { forge, lin, moe, changes } = await startChain(t);
  await lin.repository('shy');
  await fork(moe, 'lin/shy');
  await moe.repository('own');

  await setVisibility(forge, 'moe', 'public');
  assert.deepEqual(await isPrivate(forge, 'moe/shy', 'moe/own', 'lin/shy'), [true, false, false]);
  assert.deepEqual(await changes(), ['root']);
  assert.equal((await forge.get('/api/v1/repos/moe/shy')).status, 404);
});

test('an organization that changes its visibility keeps the rule for forks, too', async (t) => {
  const { forge, ada, lin, changes } = await startChain(t);
  await organization(ada, 'guild', 'public');
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await fork(lin, 'guild/loom');
  await fork(ada, 'guild/loom');
  await organization(lin, 'club', 'limited');
  await lin.repository('shy');
  await fork(lin, 'lin/shy', 'club');
  assert.deepEqual(await isPrivate(forge, 'lin/loom', 'ada/loom', 'club/shy'), [false, false, false]);

  await ada.patch('/api/v1/orgs/guild', { visibility: 'limited' });
  assert.deepEqual(await isPrivate(forge, 'guild/loom', 'lin/loom', 'ada/loom'), [false, false, true]);
  assert.deepEqual(await changes(), ['ada']);
  await lin.patch('/api/v1/orgs/club', { visibility: 'public' });
  assert.deepEqual(await isPrivate(forge, 'lin/shy', 'club/shy'), [false, true]);
  assert.deepEqual(await changes(), ['lin']);
  assert.equal((await forge.get('/api/v1/repos/club/shy')).status, 404);
});

test('forks that become private lose their stars, and the watches of users who no longer see them', async (t) => {
  const { forge, ada, ben, lin } = await startChain(t);
  const paths = ['ada/engine', 'ben/engine', 'cas/engine'];
  for (const path of paths) await lin.put(`/api/v1/user/starred/${path}`);
  await ada.put('/api/v1/user/starred/ben/engine');
  await lin.put('/api/v1/repos/ben/engine/subscription');
  const starred = async (who: Person) => (await who.get('/api/v1/user')).body.starred_repos_count;
  assert.deepEqual([await starred(lin), await starred(ada)], [3, 1]);

  await setVisibility(forge, 'ada', 'limited');
  assert.deepEqual(await isPrivate(forge, ...paths), [false, true, true]);

  assert.deepEqual([await starred(lin), await starred(ada)], [1, 0]);
  const { stars_count, watchers_count } = (await ben.get('/api/v1/repos/ben/engine')).body;
  assert.deepEqual([stars_count, watchers_count], [0, 1]);
});

interface Row {
  readonly id: number;
  readonly parentId: number | null;
  readonly isPrivate: number;
  readonly ownerId: number;
  readonly visibility: string;
}

/** The rule, written a second time: the forks that more users see than their parent. */
async function tooOpen(forge: TestForge): Promise<readonly Row[]> {
  const rows: readonly Row[] = await forge.forge.running.engines.database.reader
    .selectFrom('repositories as r')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select([
      'r.id',
      'r.parent_id as parentId',
      'r.is_private as isPrivate',
      'o.id as ownerId',
      'o.visibility',
    ])
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return rows.filter((row) => {
    const parent = row.parentId === null ? undefined : byId.get(row.parentId);
    if (parent === undefined || row.isPrivate === 1) return false;
    if (parent.isPrivate === 1) return true;
    if (parent.visibility === 'private') return row.ownerId !== parent.ownerId;
    return parent.visibility === 'limited' && row.visibility === 'public';
  });
}

test('H8: forks, transfers and changes of visibility at the same time never leave a fork that more users see than its parent', async (t) => {
  const { forge, ada, ben, cas } = await startChain(t);
  await organization(ada, 'club', 'limited');
  for (let round = 0; round < 5; round += 1) {
    const name = `round-${round}`;
    const dot = await forge.account(`dot-${round}`);
    await ada.repository(name);
    await fork(ben, `ada/${name}`);
    await fork(cas, `ben/${name}`);
    const answers = await Promise.all([
      dot.post(`/api/v1/repos/cas/${name}/forks`, {}),
      forge.root.patch(`/api/v1/repos/ben/${name}`, { private: false }),
      ada.post(`/api/v1/repos/ada/${name}/transfer`, { new_owner: 'club' }),
      setVisibility(forge, 'ben', round % 2 === 0 ? 'limited' : 'public'),
      dot.post(`/api/v1/repos/ada/${name}/forks`, { name: 'second' }),
      ada.patch(`/api/v1/repos/ada/${name}`, { private: true }),
      setVisibility(forge, 'cas', round % 2 === 0 ? 'private' : 'public'),
    ]);
    for (const { status, text } of answers) assert.ok(status < 500, text);
    assert.deepEqual(await tooOpen(forge), [], name);
  }
});
