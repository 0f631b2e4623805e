import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import type { Answer } from '../../support/http/http.ts';

/** Ada has the private repository `engine`; ben is another user. */
async function startWithEngine(t: Parameters<typeof startForge>[0], options: Record<string, unknown> = {}) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const { id } = await ada.repository('engine', { private: true, auto_init: true, ...options });
  return { forge, ada, ben, id };
}

function transfer(who: Person, path: string, newOwner: string, teamIds?: readonly number[]): Promise<Answer> {
  const teams = teamIds === undefined ? {} : { team_ids: teamIds };
  return who.post(`/api/v1/repos/${path}/transfer`, { new_owner: newOwner, ...teams });
}

const accept = (who: Person, path: string) => who.post(`/api/v1/repos/${path}/transfer/accept`);
const reject = (who: Person, path: string) => who.post(`/api/v1/repos/${path}/transfer/reject`);

async function transferEvents(forge: TestForge): Promise<readonly Record<string, unknown>[]> {
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('events')
    .leftJoin('accounts', 'accounts.id', 'events.actor_id')
    .select(['events.kind', 'accounts.name as actor', 'events.payload'])
    .where('events.kind', 'like', 'repository.transfer%')
    .orderBy('events.position')
    .execute();
  return rows.map(({ kind, actor, payload }) => {
    const { from, to } = JSON.parse(payload);
    return { kind, actor, ...(from === undefined ? {} : { from, to }) };
  });
}

test('a transfer to another user is pending until the recipient accepts', async (t) => {
  const { forge, ada, ben, id } = await startWithEngine(t);

  const requested = await transfer(ada, 'ada/engine', 'BEN');

  assert.equal(requested.status, 202);
  assert.equal(requested.body.full_name, 'ada/engine');
  const { doer, recipient, teams } = requested.body.repo_transfer;
  assert.deepEqual([doer.login, recipient.login, teams], ['ada', 'ben', []]);

  const seen = await ben.get('/api/v1/repos/ada/engine');
  assert.equal(seen.body.repo_transfer.recipient.login, 'ben');
  assert.deepEqual(seen.body.permissions, { admin: false, push: false, pull: true });

  const accepted = await accept(ben, 'ada/engine');
  assert.equal(accepted.status, 202);
  assert.equal(accepted.body.id, id);
  assert.equal(accepted.body.full_name, 'ben/engine');
  assert.equal(accepted.body.repo_transfer, null);
  assert.deepEqual(accepted.body.permissions, { admin: true, push: true, pull: true });
  assert.equal((await ben.get('/api/v1/repos/ben/engine/contents/README.md')).status, 200);
  assert.equal((await ada.get('/api/v1/repos/ben/engine')).status, 404);
  assert.deepEqual(await transferEvents(forge), [
    { kind: 'repository.transfer-asked', actor: 'ada' },
    { kind: 'repository.transferred', actor: 'ben', from: 'ada/engine', to: 'ben/engine' },
  ]);
});

test('a recipient who rejects a transfer can no longer see the repository', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  await transfer(ada, 'ada/engine', 'ben');

  const rejected = await reject(ben, 'ada/engine');

  assert.equal(rejected.status, 200);
  assert.equal(rejected.body.full_name, 'ada/engine');
  assert.equal(rejected.body.repo_transfer, null);
  assert.deepEqual(rejected.body.permissions, { admin: false, push: false, pull: false });
  assert.equal((await ben.get('/api/v1/repos/ada/engine')).status, 404);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.repo_transfer, null);
  assert.equal((await accept(ada, 'ada/engine')).status, 404);
  assert.deepEqual((await transferEvents(forge)).at(-1), { kind: 'repository.transfer-ended', actor: 'ben' });
});

test('the owner can cancel a transfer and start another one', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const cleo = await forge.account('cleo');
  await transfer(ada, 'ada/engine', 'ben');

  assert.equal((await transfer(ada, 'ada/engine', 'cleo')).status, 409);
  assert.equal((await transfer(ada, 'ada/engine', 'ben')).status, 409);
  assert.equal((await reject(ada, 'ada/engine')).status, 200);
  assert.equal((await accept(ben, 'ada/engine')).status, 404);
  assert.equal((await transfer(ada, 'ada/engine', 'cleo')).status, 202);
  assert.equal((await accept(cleo, 'ada/engine')).status, 202);
});

test('403: only the owner can transfer a repository, and only the recipient can accept', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t, { private: false });
  const cleo = await forge.account('cleo');
  await ada.put('/api/v1/repos/ada/engine/collaborators/cleo', { permission: 'admin' });

  assert.equal((await transfer(cleo, 'ada/engine', 'cleo')).status, 403);
  assert.equal((await forge.send('POST', '/api/v1/repos/ada/engine/transfer/accept')).status, 401);
  await transfer(ada, 'ada/engine', 'ben');
  assert.equal((await accept(ada, 'ada/engine')).status, 403);
  // A caller who cannot see a transfer gets the same response as if there were none.
  assert.equal((await accept(cleo, 'ada/engine')).status, 404);
  assert.equal((await reject(cleo, 'ada/engine')).status, 404);
  assert.equal((await cleo.get('/api/v1/repos/ada/engine')).body.repo_transfer, null);
  assert.equal((await forge.get('/api/v1/repos/ada/engine')).body.repo_transfer, null);
  assert.equal((await accept(ben, 'ada/engine')).status, 202);
});

test('404: the new owner is missing or hidden; 422: the body is invalid', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  await forge.account('hidden', { visibility: 'private' });
  await ada.repository('ben');
  await forge.root.post('/api/v1/admin/users/ben/rename', { new_username: 'benjamin' });

  for (const newOwner of ['nobody', 'hidden', '', '..', 'a\0b', 'x'.repeat(300)])
    assert.equal((await transfer(ada, 'ada/engine', newOwner)).status, 404, newOwner);
  assert.equal(
    (await transfer(ada, 'ada/ben', 'ben')).status,
    404,
    'a former name in a body does not redirect',
  );
  for (const body of [{}, { new_owner: 5 }, { new_owner: 'benjamin', team_ids: ['x'] }, []])
    assert.equal((await ada.post('/api/v1/repos/ada/engine/transfer', body)).status, 422);
  assert.equal((await transfer(ada, 'ada/engine', 'benjamin', [1])).status, 422);
  assert.equal((await transfer(ben, 'ada/engine', 'benjamin')).status, 404);
  assert.equal((await transfer(ada, 'ada/nothing', 'benjamin')).status, 404);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.repo_transfer, null);
});

test('422: the new owner has a repository with this name', async (t) => {
  const { ada, ben } = await startWithEngine(t);
  await ben.repository('Engine');

  assert.equal((await transfer(ada, 'ada/engine', 'ben')).status, 422);
  assert.equal((await transfer(ada, 'ada/engine', 'ada')).status, 422);
  await ben.delete('/api/v1/repos/ben/engine');
  assert.equal((await transfer(ada, 'ada/engine', 'ben')).status, 202);
  await ben.repository('Engine');
  assert.equal((await accept(ben, 'ada/engine')).status, 422);
  assert.equal((await ben.get('/api/v1/repos/ada/engine')).body.repo_transfer.doer.login, 'ada');
});

test('B7: a transfer does not reveal whether a user has a hidden repository with this name', async (t) => {
  const { ada, ben } = await startWithEngine(t);
  await ben.repository('engine', { private: true });

  assert.equal((await transfer(ada, 'ada/engine', 'ben')).status, 202);
  assert.equal((await accept(ben, 'ada/engine')).status, 422);
});

test('a transfer to an organization where the caller may create repositories completes at once, with the given teams', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  const writers = await guild.team('writers', { permission: 'write', members: [ben] });
  const readers = await guild.team('readers', { permission: 'read', members: [cleo] });
  await guild.team('all', { permission: 'read', includes_all_repositories: true });
  await ada.repository('engine', { private: true, auto_init: true });

  const moved = await transfer(ada, 'ada/engine', 'guild', [writers.id, writers.id]);

  assert.equal(moved.status, 202);
  assert.equal(moved.body.full_name, 'guild/engine');
  assert.equal(moved.body.repo_transfer, null);
  const teams = await ada.get('/api/v1/repos/guild/engine/teams');
  assert.deepEqual(names(teams.body), ['Owners', 'all', 'writers']);
  assert.equal((await ben.get('/api/v1/repos/guild/engine')).body.permissions.push, true);
  assert.equal((await cleo.get('/api/v1/repos/guild/engine')).status, 404);
  assert.equal((await ada.get(`/api/v1/teams/${readers.id}/repos`)).body.length, 0);
});

test('teams of the previous organization lose a transferred repository', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await guild.repository('engine', { private: true });
  await guild.team('writers', { permission: 'write', members: [ben], repositories: ['engine'] });

  const moved = await transfer(ada, 'guild/engine', 'ada');

  assert.equal(moved.body.full_name, 'ada/engine');
  assert.equal((await ben.get('/api/v1/repos/ada/engine')).status, 404);
  assert.equal((await transfer(ada, 'ada/engine', 'guild')).status, 202);
  assert.equal((await ben.get('/api/v1/repos/guild/engine')).status, 404);
});

test('a transfer to an organization where the caller may not create repositories is pending until a permitted member accepts', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo, eve] = [
    await forge.account('ben'),
    await forge.account('cleo'),
    await forge.account('eve'),
  ];
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });
  const writers = await guild.team('writers', { permission: 'write', members: [ben] });
  await ben.repository('engine', { private: true });
  await eve.repository('loom', { private: true });

  assert.equal(
    (await transfer(eve, 'eve/loom', 'guild', [writers.id])).status,
    422,
    'hidden from a caller outside the organization',
  );
  const requested = await transfer(ben, 'ben/engine', 'guild', [writers.id]);
  assert.equal(requested.status, 202);
  assert.deepEqual(names(requested.body.repo_transfer.teams), ['writers']);
  assert.equal((await accept(eve, 'ben/engine')).status, 404);
  assert.equal((await accept(ben, 'ben/engine')).status, 403);
  assert.equal((await ada.get('/api/v1/repos/ben/engine')).body.permissions.pull, true);
  const taken = await accept(cleo, 'ben/engine');

  assert.equal(taken.status, 202);
  assert.equal(taken.body.full_name, 'guild/engine');
  assert.deepEqual(names((await ada.get('/api/v1/repos/guild/engine/teams')).body), ['Owners', 'writers']);
  assert.equal((await ben.get('/api/v1/repos/guild/engine')).body.permissions.push, true);
});

test('422: teams must belong to the receiving organization', async (t) => {
  const guild = await startGuild(t);
  const { ada } = guild;
  await ada.post('/api/v1/orgs', { username: 'lodge' });
  const theirs = await ada.post('/api/v1/orgs/lodge/teams', { name: 'x', permission: 'read' });
  await ada.repository('engine');

  for (const id of [theirs.body.id, 0, -1, 999_999, 2 ** 53 - 1])
    assert.equal((await transfer(ada, 'ada/engine', 'guild', [id])).status, 422, `${id}`);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 200);
});

test('a transfer out of an organization that an administrator of a team starts waits for an owner', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [mia, ben] = [await forge.account('mia'), await forge.account('ben')];
  const names = ['handbook', 'charter', 'manual'];
  for (const name of names) await guild.repository(name, { private: true });
  await guild.team('administrators', { permission: 'admin', members: [mia], repositories: names });
  const at = (name: string, end = '') => `/api/v1/repos/guild/${name}${end}`;

  // To herself: an owner agrees, and the transfer takes effect.
  const asked = await mia.post(at('handbook', '/transfer'), { new_owner: 'mia' });
  assert.deepEqual([asked.status, asked.body.owner.login], [202, 'guild'], asked.text);
  assert.equal(asked.body.repo_transfer.recipient.login, 'mia');
  const early = await mia.post(at('handbook', '/transfer/accept'));
  assert.equal(early.status, 403);
  assert.match(early.body.message, /an owner of guild must accept this transfer first/);
  assert.equal((await ada.get(at('handbook'))).body.owner.login, 'guild');
  const agreed = await ada.post(at('handbook', '/transfer/accept'));
  assert.deepEqual([agreed.status, agreed.body.owner.login], [202, 'mia'], agreed.text);

  // To another user: the owner agrees first, and then the recipient.
  assert.equal((await mia.post(at('charter', '/transfer'), { new_owner: 'ben' })).status, 202);
  assert.equal((await ben.post(at('charter', '/transfer/accept'))).status, 403);
  const passed = await ada.post(at('charter', '/transfer/accept'));
  assert.deepEqual([passed.status, passed.body.owner.login], [202, 'guild'], passed.text);
  assert.equal((await ben.post(at('charter', '/transfer/accept'))).status, 202);
  assert.equal((await ben.get('/api/v1/repos/ben/charter')).status, 200);

  // An owner rejects. An owner of the organization needs no consent.
  assert.equal((await mia.post(at('manual', '/transfer'), { new_owner: 'mia' })).status, 202);
  assert.equal((await ada.post(at('manual', '/transfer/reject'))).status, 200);
  assert.equal((await mia.post(at('manual', '/transfer/accept'))).status, 404);
  assert.equal((await ada.post(at('manual', '/transfer'), { new_owner: 'ada' })).body.owner.login, 'ada');
});

test('a transfer by a site administrator to any owner completes at once', async (t) => {
  const { forge, ben } = await startWithEngine(t);

  const moved = await transfer(forge.root, 'ada/engine', 'ben');

  assert.equal(moved.body.full_name, 'ben/engine');
  assert.equal((await ben.get('/api/v1/repos/ben/engine')).body.permissions.admin, true);
});

test('A3: accepting a transfer needs the scopes for creating a repository there', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await ada.repository('engine');
  const weak = { as: { token: await ada.tokenFor(['write:repository']) }, json: { new_owner: 'guild' } };

  const requested = await forge.send('POST', '/api/v1/repos/ada/engine/transfer', weak);
  assert.equal(requested.body.repo_transfer.recipient.login, 'guild');
  const path = '/api/v1/repos/ada/engine/transfer/accept';
  const refused = await forge.send('POST', path, { as: weak.as });
  assert.equal(refused.status, 403);
  assert.match(refused.body.message, /write:organization/);
  assert.equal((await accept(ada, 'ada/engine')).status, 202);

  await ben.repository('loom');
  await transfer(ben, 'ben/loom', 'ada');
  const limited = await forge.send('POST', '/api/v1/users/ada/tokens', {
    as: { name: 'ada', password: ada.password },
    json: { name: 'limited', scopes: ['all'], repositories: ['ben/loom'] },
  });
  const as = { token: limited.body.sha1 };
  const byLimited = await forge.send('POST', '/api/v1/repos/ben/loom/transfer/accept', { as });
  assert.equal(byLimited.status, 403);
});

test('the old path redirects to the new one, also for git, and collaborators stay', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const cleo = await forge.account('cleo');
  for (const name of ['ben', 'cleo'])
    await ada.put(`/api/v1/repos/ada/engine/collaborators/${name}`, { permission: 'write' });
  await transfer(ada, 'ada/engine', 'ben');
  await accept(ben, 'ada/engine');

  assert.deepEqual(names((await ben.get('/api/v1/repos/ben/engine/collaborators')).body), ['cleo']);
  assert.equal((await cleo.get('/api/v1/repos/ben/engine')).body.permissions.push, true);
  const old = await cleo.get('/api/v1/repos/ada/engine?x=1');
  assert.deepEqual([old.status, old.headers.get('location')], [301, '/api/v1/repos/ben/engine?x=1']);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404, 'hidden from the previous owner');
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', cleo.remote('ada/engine'), '.']);
  await transfer(ben, 'ben/engine', 'ada');
  await accept(ada, 'ben/engine');
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 200);
});

test('deleting the recipient cancels a pending transfer', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await cleo.post('/api/v1/orgs', { username: 'lodge' });
  for (const name of ['one', 'two', 'three']) await ada.repository(name);
  await guild.repository('four');
  const owners = await guild.owners();
  await ada.put(`/api/v1/teams/${owners.id}/members/ben`);
  await transfer(ada, 'ada/one', 'ben');
  await transfer(ada, 'ada/two', 'lodge');
  await transfer(ada, 'ada/three', 'cleo');
  await transfer(ben, 'guild/four', 'cleo');

  assert.equal((await cleo.delete('/api/v1/orgs/lodge')).status, 204);
  assert.equal((await forge.root.delete('/api/v1/admin/users/ben')).status, 204);

  for (const path of ['ada/one', 'ada/two', 'guild/four']) {
    assert.equal((await ada.get(`/api/v1/repos/${path}`)).body.repo_transfer, null, path);
    assert.equal((await transfer(ada, path, 'cleo')).status, 202, path);
  }
  assert.equal((await accept(cleo, 'ada/three')).status, 202);
  const ended = (await transferEvents(forge)).filter((event) => event.kind === 'repository.transfer-ended');
  assert.deepEqual(
    ended.map((event) => event.actor),
    ['cleo', 'root', 'root'],
  );
});

test('a repository with a pending transfer can be deleted', async (t) => {
  const { ada, ben } = await startWithEngine(t);
  await transfer(ada, 'ada/engine', 'ben');

  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  assert.equal((await accept(ben, 'ada/engine')).status, 404);
});

test('H8: of concurrent transfers, responses and creations, one succeeds completely and the others change nothing', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const people = await Promise.all(['cleo', 'dan', 'eve'].map((name) => forge.account(name)));

  const requested = await Promise.all(people.map((person) => transfer(ada, 'ada/engine', person.name)));
  assert.deepEqual(requested.map((answer) => answer.status).sort(), [202, 409, 409]);
  await reject(ada, 'ada/engine');

  await transfer(ada, 'ada/engine', 'ben');
  const answered = await Promise.all([
    accept(ben, 'ada/engine'),
    reject(ada, 'ada/engine'),
    accept(ben, 'ada/engine'),
  ]);
  const won = answered.filter((answer) => answer.status < 300);
  assert.equal(won.length, 1, answered.map((answer) => answer.status).join());
  const isBens = won[0]?.status === 202;
  assert.equal((await ben.get('/api/v1/repos/ben/engine')).status, isBens ? 200 : 404);
  if (isBens) await transfer(forge.root, 'ben/engine', 'ada');

  const [created, moved] = await Promise.all([
    ben.post('/api/v1/user/repos', { name: 'engine' }),
    transfer(forge.root, 'ada/engine', 'ben'),
  ]);
  assert.ok(
    (created?.status === 201 && moved?.status === 422) || (created?.status === 409 && moved?.status === 202),
    `${created?.status} ${moved?.status}`,
  );
});

test('B8: a repository whose transfer is accepted while the previous owner starts another one stays with the new owner', async (t) => {
  const { forge, ada, ben, id } = await startWithEngine(t);
  const cleo = await forge.account('cleo');
  const { repositories } = forge.forge.running.services;
  const isSeen = repositories.isSeen.bind(repositories);
  await transfer(ada, 'ada/engine', 'ben');
  // Accepts between the look-up of the second request and its transaction.
  repositories.isSeen = async (...given) => {
    repositories.isSeen = isSeen;
    assert.equal((await accept(ben, 'ada/engine')).status, 202);
    return isSeen(...given);
  };

  assert.equal((await transfer(ada, 'ada/engine', 'cleo')).status, 404);

  assert.equal((await ben.get('/api/v1/repos/ben/engine')).body.repo_transfer, null);
  assert.equal((await accept(cleo, 'ben/engine')).status, 404);
  assert.equal((await ben.get('/api/v1/repos/ben/engine')).body.id, id);
});

test('B8: a caller who loses ownership during the request cannot transfer', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.repository('handbook');
  const { id: team } = await guild.team('Keepers', {
    permission: 'admin',
    members: [ben],
    repositories: ['handbook'],
  });
  const { repositories } = forge.forge.running.services;
  const isSeen = repositories.isSeen.bind(repositories);
  for (const recipient of ['ben', 'cleo']) {
    await ada.put(`/api/v1/teams/${team}/members/ben`);
    repositories.isSeen = async (...given) => {
      await ada.delete(`/api/v1/teams/${team}/members/ben`);
      return isSeen(...given);
    };

    const { status } = await transfer(ben, 'guild/handbook', recipient);

    assert.ok([403, 404].includes(status), `${status}`);
    const { body } = await ada.get('/api/v1/repos/guild/handbook');
    assert.deepEqual([body.owner?.login, body.repo_transfer], ['guild', null], recipient);
  }
  assert.equal((await accept(cleo, 'guild/handbook')).status, 404);
});

test('422: an invalid team id', async (t) => {
  const { ada } = await startGuild(t);
  await ada.repository('engine');
  for (const id of [1e30, -1e30, 2 ** 53, 0, -1])
    assert.equal((await transfer(ada, 'ada/engine', 'guild', [id])).status, 422, `${id}`);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.repo_transfer, null);
});
