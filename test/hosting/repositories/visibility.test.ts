import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ForgeOptions } from '../../../testing/index.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { setRow } from './rows.ts';

const REPO = '/api/v1/repos/ada/engine';
const KIND = 'repository.visibility-changed';

async function startWithEngine(t: TestContext, options: ForgeOptions & { private?: boolean } = {}) {
  const forge = await startForge(t, options);
  const ada = await forge.account('ada');
  const made = await ada.repository('engine', { private: options.private ?? false });
  return { forge, ada, made, isPrivate: privacyOf(forge) };
}

function privacyOf(forge: TestForge) {
  return async (path: string): Promise<boolean> =>
    (await forge.root.get(`/api/v1/repos/${path}`)).body.private;
}

/** Creates a repository and marks it as a fork of another one. */
async function forkOf(forge: TestForge, parent: { id: number; private: boolean }, by: Person, name: string) {
  const made = await by.repository(name, { private: parent.private });
  await setRow(forge, made.id, { parent_id: parent.id });
  return made;
}

function changesOf(forge: TestForge) {
  return eventsOf(forge.forge.running.engines.database, KIND);
}

test('public to private: the event has the actor, the old and the new value, and the next request finds the repository hidden', async (t) => {
  const { forge, ada } = await startWithEngine(t);
  const { status, body } = await ada.patch(REPO, { private: true });
  assert.deepEqual([status, body.private], [200, true]);
  assert.deepEqual(await changesOf(forge), [{ kind: KIND, actor: 'ada', from: 'public', to: 'private' }]);
  assert.equal((await forge.get(REPO)).status, 404);
});

test('private to public: the event has the actor, the old and the new value', async (t) => {
  const { forge, ada } = await startWithEngine(t, { private: true });
  assert.equal((await forge.root.patch(REPO, { private: false })).body.private, false);
  assert.deepEqual(await changesOf(forge), [{ kind: KIND, actor: 'root', from: 'private', to: 'public' }]);
  assert.equal((await forge.get(REPO)).status, 200);
  await ada.patch(REPO, { private: false });
  assert.equal((await changesOf(forge)).length, 1, 'setting the same visibility publishes no event');
});

test('B8: a repository that becomes private is hidden from the next request on, over the API and git', async (t) => {
  const { forge, ada } = await startWithEngine(t);
  const seen = async () => [
    (await forge.get(REPO)).status,
    (await forge.get(`${REPO}/contents`)).status,
    (await forge.get('/ada/engine/info/refs?service=git-upload-pack')).status,
  ];
  assert.deepEqual(await seen(), [200, 200, 200]);
  await ada.patch(REPO, { private: true });
  assert.deepEqual(await seen(), [404, 404, 401]);
});

test('force-private: an ordinary caller who makes a repository public gets 422', async (t) => {
  const { forge, ada } = await startWithEngine(t, { settings: { forcePrivate: 'true' } });
  assert.equal((await ada.get(REPO)).body.private, true);
  const before = (await ada.get(REPO)).body;
  assert.equal((await ada.patch(REPO, { private: false, description: 'x' })).status, 422);
  assert.deepEqual((await ada.get(REPO)).body, before);
  assert.equal((await ada.patch(REPO, { private: true, description: 'x' })).status, 200);
  assert.deepEqual(await changesOf(forge), []);
});

test('force-private allows a site administrator to make a repository public, and its owner to keep it public', async (t) => {
  const { forge, ada } = await startWithEngine(t, { settings: { forcePrivate: 'true' } });
  assert.equal((await forge.root.patch(REPO, { private: false })).body.private, false);
  assert.equal((await ada.patch(REPO, { private: false })).status, 200);
  assert.equal((await ada.patch(REPO, { private: true })).body.private, true);
  assert.equal((await ada.patch(REPO, { private: false })).status, 422);
});

test('an edit cannot make the visibility of a fork differ from that of its base', async (t) => {
  const { forge, ada, made, isPrivate } = await startWithEngine(t);
  const ben = await forge.account('ben');
  const fork = await forkOf(forge, made, ben, 'fork');
  for (const sent of [true, false]) {
    for (const before of [1, 0]) {
      await setRow(forge, fork.id, { is_private: before });
      const { status, body } = await ben.patch('/api/v1/repos/ben/fork', { private: sent, description: 'x' });
      assert.deepEqual([status, body.private], [200, false], `${sent} ${before}`);
    }
  }
  await ada.patch(REPO, { private: true });
  assert.equal((await ben.patch('/api/v1/repos/ben/fork', { private: false })).body.private, true);
  await setRow(forge, fork.id, { is_private: 0 });
  await ben.patch('/api/v1/repos/ben/fork', { description: 'y' });
  assert.equal(await isPrivate('ben/fork'), false, 'Private was not sent');
});

test('force-private: a private fork of a public base stays private, 422', async (t) => {
  const { forge, made } = await startWithEngine(t, { settings: { forcePrivate: 'true' } });
  const ben = await forge.account('ben');
  const fork = await forkOf(forge, made, ben, 'fork');
  await setRow(forge, made.id, { is_private: 0 });
  assert.equal((await ben.patch('/api/v1/repos/ben/fork', { private: true })).status, 422);
  await setRow(forge, fork.id, { parent_id: null });
  assert.equal((await ben.patch('/api/v1/repos/ben/fork', { private: true })).status, 200);
});

test('a base that becomes private makes its forks and their forks private, and they stay private when it becomes public', async (t) => {
  const { forge, ada, made, isPrivate } = await startWithEngine(t);
  const ben = await forge.account('ben');
  const first = await forkOf(forge, made, ben, 'first');
  await forkOf(forge, made, ben, 'second');
  const third = await forkOf(forge, first, ada, 'third');
  await forkOf(forge, third, ben, 'fourth');
  await ben.repository('other');
  const forks = ['ben/first', 'ben/second', 'ada/third', 'ben/fourth'];
  const all = () => Promise.all([...forks, 'ada/engine', 'ben/other'].map(isPrivate));

  await ada.patch(REPO, { private: true });
  assert.deepEqual(await all(), [true, true, true, true, true, false]);
  assert.deepEqual(
    await changesOf(forge),
    Array(5).fill({ kind: KIND, actor: 'ada', from: 'public', to: 'private' }),
  );
  await ada.patch(REPO, { private: false });
  assert.deepEqual(await all(), [true, true, true, true, false, false]);
  assert.equal((await changesOf(forge)).length, 6);
});

test('forks of private owners stay private when the base changes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild', visibility: 'private' });
  const made = (await ada.post('/api/v1/orgs/guild/repos', { name: 'engine', private: true })).body;
  const fork = await forkOf(forge, made, ben, 'fork');

  assert.equal((await ada.patch('/api/v1/repos/guild/engine', { private: false })).body.private, false);

  const isPrivate = privacyOf(forge);
  assert.equal(await isPrivate('ben/fork'), true);
  assert.equal((await ben.patch('/api/v1/repos/ben/fork', { private: false })).body.private, true);
  assert.equal((await forge.get(`/api/v1/repositories/${fork.id}`)).status, 404);
});

test('a fork of a limited owner becomes public only if its owner is as restricted', async (t) => {
  const forge = await startForge(t);
  const lin = await forge.account('lin', { visibility: 'limited' });
  const ben = await forge.account('ben');
  const cas = await forge.account('cas', { visibility: 'limited' });
  const made = await lin.repository('engine', { private: true });
  const shown = await forkOf(forge, made, ben, 'fork');
  await forkOf(forge, made, cas, 'fork');

  assert.equal((await lin.patch('/api/v1/repos/lin/engine', { private: false })).body.private, false);

  assert.equal((await ben.patch('/api/v1/repos/ben/fork', { private: false })).body.private, true);
  assert.equal((await forge.get(`/api/v1/repositories/${shown.id}`)).status, 404);
  assert.equal(await privacyOf(forge)('cas/fork'), true);
  assert.equal((await cas.patch('/api/v1/repos/cas/fork', { private: true })).body.private, false);
});

test('a change of visibility that is rejected later leaves base and forks unchanged', async (t) => {
  const { forge, ada, made, isPrivate } = await startWithEngine(t);
  await forkOf(forge, made, await forge.account('ben'), 'fork');
  const refused = { private: true, has_wiki: true, external_wiki: { external_wiki_url: 'nowhere' } };
  assert.equal((await ada.patch(REPO, refused)).status, 422);
  assert.deepEqual([await isPrivate('ada/engine'), await isPrivate('ben/fork')], [false, false]);
  assert.deepEqual(await changesOf(forge), []);
});

test('A4: a public-only token cannot make a repository private', async (t) => {
  const { forge, ada, isPrivate } = await startWithEngine(t);
  const as = { token: await ada.tokenFor(['all', 'public-only']) };
  assert.equal((await forge.send('PATCH', REPO, { as, json: { private: true } })).status, 403);
  assert.equal((await forge.send('PATCH', REPO, { as, json: { description: 'x' } })).status, 200);
  assert.equal(await isPrivate('ada/engine'), false);
});

test('listeners get the repositories in the transaction, and their errors undo the edit', async (t) => {
  const { forge, ada, made, isPrivate } = await startWithEngine(t);
  const fork = await forkOf(forge, made, await forge.account('ben'), 'fork');
  const { repositories, accounts } = forge.forge.running.services;
  const changes: object[] = [];
  let refuses = false;
  forge.stopAfterTest();
  repositories.settings.visibilityChanged.subscribe(async (_, change) => {
    changes.push(change);
    if (refuses) throw new Error('not now');
  });

  await ada.patch(REPO, { private: true });

  const actorId = (await accounts.findByName('ada'))?.id;
  assert.deepEqual(
    changes,
    [[made.id], [fork.id]].map((repositoryIds) => ({ repositoryIds, actorId, isPrivate: true })),
  );
  refuses = true;
  assert.equal((await ada.patch(REPO, { private: false })).status, 500);
  assert.deepEqual([await isPrivate('ada/engine'), await isPrivate('ben/fork')], [true, true]);
});

test('H8: of a base and its forks edited at once, none ends more visible than its base', async (t) => {
  const { forge, ada, made, isPrivate } = await startWithEngine(t);
  const ben = await forge.account('ben');
  const fork = await forkOf(forge, made, ben, 'fork');
  await forkOf(forge, fork, ada, 'deeper');
  for (let round = 0; round < 6; round += 1) {
    const wanted = round % 2 === 0;
    const answers = await Promise.all([
      ada.patch(REPO, { private: wanted }),
      ben.patch('/api/v1/repos/ben/fork', { private: !wanted }),
      ada.patch('/api/v1/repos/ada/deeper', { private: !wanted }),
    ]);
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const [base, first, second] = await Promise.all(['ada/engine', 'ben/fork', 'ada/deeper'].map(isPrivate));
    assert.equal(base, wanted);
    assert.ok(first || !base, 'the fork is private if its base is');
    assert.ok(second || !first, 'the fork of the fork is private if the fork is');
    // An edit makes them follow their bases again, for the next round.
    await ben.patch('/api/v1/repos/ben/fork', { private: true });
    await ada.patch('/api/v1/repos/ada/deeper', { private: true });
    assert.deepEqual([await isPrivate('ben/fork'), await isPrivate('ada/deeper')], [wanted, wanted]);
  }
});
