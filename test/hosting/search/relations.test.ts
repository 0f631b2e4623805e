import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { change, found, star } from './rows.ts';

const SEARCH = '/api/v1/repos/search';

type Searcher = { get: Person['get'] };

async function search(who: Searcher, query: string): Promise<readonly string[]> {
  return found(await who.get(`${SEARCH}?${query}`));
}

async function idOf(person: Person): Promise<number> {
  return (await person.get('/api/v1/user')).body.id;
}

/** Ben owns a repository, collaborates on two of ada's, and reads two of the guild's through a team. */
async function startContributor(t: TestContext) {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await ben.repository('own');
  for (const name of ['shared', 'mirrored', 'hers']) await ada.repository(name);
  await ada.put('/api/v1/repos/ada/shared/collaborators/ben', { permission: 'write' });
  await ada.put('/api/v1/repos/ada/mirrored/collaborators/ben', { permission: 'read' });
  await change(forge, 'ada/mirrored', { is_mirror: 1 });
  await guild.repository('handbook');
  await guild.repository('minutes', { private: true });
  await guild.team('readers', { members: [ben], repositories: ['handbook', 'minutes'], permission: 'read' });
  const uid = await idOf(ben);
  const related = (who: Searcher, query = '') => search(who, `uid=${uid}${query}`);
  return { forge, ben, related };
}

const RELATED = ['guild/handbook', 'guild/minutes', 'ada/mirrored', 'ben/own', 'ada/shared'];

test('a search with uid', async (t) => {
  const { forge, ben, related } = await startContributor(t);

  await t.test('finds repositories that the user owns or contributes to', async () => {
    assert.deepEqual(await related(ben), RELATED);
    assert.deepEqual(await related(forge.root), RELATED);
  });

  await t.test('finds only repositories that the user owns with exclusive', async () => {
    assert.deepEqual(await related(ben, '&exclusive=true'), ['ben/own']);
    assert.deepEqual(await related(ben, '&exclusive=false'), RELATED);
    assert.deepEqual(await search(ben, 'exclusive=true&q=own'), ['ben/own']);
  });

  await t.test(
    'finds only repositories of other owners with mode collaborative, and uid defaults to the caller',
    async () => {
      const collaborative = ['guild/handbook', 'guild/minutes', 'ada/shared'];
      assert.deepEqual(await related(ben, '&mode=collaborative'), collaborative);
      assert.deepEqual(await related(ben, '&mode=collaborative&exclusive=true'), collaborative);
      assert.deepEqual(await search(ben, 'mode=collaborative'), collaborative);
      assert.deepEqual(await search(forge, 'mode=collaborative'), []);
    },
  );

  await t.test('finds nothing for an unknown user', async () => {
    for (const id of ['9223372036854775807', '999999'])
      assert.deepEqual(await search(ben, `uid=${id}`), [], id);
  });

  await t.test('does not reveal a concealed membership', async () => {
    const eve = await forge.account('eve');
    const known = ['ada/mirrored', 'ben/own', 'ada/shared'];
    assert.deepEqual(await related(eve), known);
    assert.deepEqual(await related(ben, '&private=false'), known);
    await ben.put('/api/v1/orgs/guild/public_members/ben');
    assert.deepEqual(await related(eve), ['guild/handbook', ...known]);
    assert.deepEqual(await related(ben, '&private=false'), ['guild/handbook', ...known]);
  });
});

test('team_id finds the repositories of a team, for members of its organization', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, pia] = [await forge.account('ben'), await forge.account('pia', { visibility: 'private' })];
  for (const name of ['handbook', 'map']) await guild.repository(name);
  await guild.repository('minutes', { private: true });
  const some = await guild.team('some', { repositories: ['handbook', 'minutes'], permission: 'read' });
  const options = { members: [ben], includes_all_repositories: true, permission: 'read' };
  const all = await guild.team('all', options);

  assert.deepEqual(await search(ada, `team_id=${some.id}`), ['guild/handbook', 'guild/minutes']);
  assert.deepEqual(await search(ben, `team_id=${all.id}&q=m`), ['guild/map', 'guild/minutes']);
  assert.deepEqual(await search(forge.root, `team_id=${some.id}`), ['guild/handbook', 'guild/minutes']);
  assert.deepEqual(await search(pia, `team_id=${some.id}`), []);
  assert.deepEqual(await search(forge, `team_id=${some.id}`), []);
});

test('starredBy finds repositories that a user has starred, unless the user hides it', async (t) => {
  const guild = await startGuild(t);
  const { forge } = guild;
  const [ben, pia] = [await forge.account('ben'), await forge.account('pia', { visibility: 'private' })];
  await guild.repository('map');
  await guild.repository('minutes', { private: true });
  await guild.team('all', { members: [ben], includes_all_repositories: true, permission: 'read' });
  for (const name of ['map', 'minutes']) await star(forge, 'ben', `guild/${name}`);
  await star(forge, 'pia', 'guild/map');
  const [bens, pias] = [await idOf(ben), await idOf(pia)];

  assert.deepEqual(await search(ben, `starredBy=${bens}`), ['guild/map', 'guild/minutes']);
  assert.deepEqual(await search(forge, `starredBy=${bens}`), ['guild/map']);
  await ben.patch('/api/v1/user/settings', { hide_activity: true });
  assert.deepEqual(await search(forge, `starredBy=${bens}`), [], 'a user who hides their activity');
  assert.deepEqual(await search(ben, `starredBy=${bens}`), ['guild/map', 'guild/minutes']);
  assert.deepEqual(await search(pia, `starredBy=${pias}`), ['guild/map']);
  assert.deepEqual(await search(forge, `starredBy=${pias}`), [], 'B7: a hidden user');
  assert.deepEqual(await search(forge, `uid=${pias}`), []);
});

test('priority_owner_id ranks the repositories of that owner first, and both parts stay sorted across pages', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (const name of ['a', 'c', 'e']) await ada.repository(name);
  for (const name of ['b', 'd']) await ben.repository(name);
  const id = (await ben.get('/api/v1/user')).body.id;
  const list = async (query: string) => found(await forge.get(`${SEARCH}?priority_owner_id=${id}${query}`));

  const order = ['ben/b', 'ben/d', 'ada/a', 'ada/c', 'ada/e'];
  assert.deepEqual(await list(''), order);
  for (const [index, name] of order.entries())
    assert.deepEqual(await list(`&limit=1&page=${index + 1}`), [name], name);
  assert.deepEqual(await list('&limit=3&page=2'), ['ada/c', 'ada/e']);
  const reversed = ['ben/d', 'ben/b', 'ada/e', 'ada/c', 'ada/a'];
  assert.deepEqual(await list('&sort=id&order=desc'), reversed);
  assert.deepEqual(await list('&q=e,d,b&sort=alpha'), ['ben/b', 'ben/d', 'ada/e']);
});
