import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import {
  providerSettings,
  signInAt,
  startForgeWith,
  startProvider,
  type TestProvider,
} from './test-provider.ts';

const MAPPING = {
  createAccounts: 'automatic',
  groupTeams: {
    developers: ['guild/builders', 'Guild/Testers'],
    testers: 'guild/testers',
    missing: ['guild/none', 'none/builders'],
  },
};

interface Place {
  readonly provider: TestProvider;
  readonly forge: TestForge;
  /** signs cyd in with these groups */
  readonly enter: (...groups: readonly string[]) => Promise<PageReader>;
  readonly teamsOf: (name: string) => Promise<readonly string[]>;
}

/** The organization `guild` of ada, with the teams builders, testers and writers. */
async function start(t: TestContext, settings: Readonly<Record<string, unknown>> = MAPPING): Promise<Place> {
  const provider = await startProvider(t);
  const forge = await startForgeWith(t, [providerSettings(provider, settings)]);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  for (const name of ['builders', 'testers', 'writers'])
    assert.equal((await ada.post('/api/v1/orgs/guild/teams', { name, permission: 'read' })).status, 201);
  const enter = async (...groups: readonly string[]) => {
    const reader = new PageReader(forge);
    const answer = await signInAt(provider, reader, { sub: 'cyd', preferred_username: 'cyd', groups });
    assert.equal(answer.status, 303, answer.text);
    return reader;
  };
  const teamsOf = async (name: string) => {
    const teams = (await ada.get('/api/v1/orgs/guild/teams')).body;
    const found: string[] = [];
    for (const team of teams)
      if ((await ada.get(`/api/v1/teams/${team.id}/members/${name}`)).status === 200) found.push(team.name);
    return found;
  };
  return { provider, forge, enter, teamsOf };
}

test('groups of the provider become teams at each sign-in, and are left with the group', async (t) => {
  const { forge, enter, teamsOf } = await start(t);

  await enter('developers', 'missing', 'unknown');
  assert.deepEqual(await teamsOf('cyd'), ['builders', 'testers']);
  await enter('testers');
  assert.deepEqual(await teamsOf('cyd'), ['testers']);
  await enter();
  assert.deepEqual(await teamsOf('cyd'), []);

  const isMember = (await forge.root.get('/api/v1/orgs/guild/members/cyd')).status;
  assert.equal(isMember, 404);
  const { database } = forge.forge.running.engines;
  const kinds = [
    ...(await eventsOf(database, 'team.member')),
    ...(await eventsOf(database, 'organization.member')),
  ].map(({ kind, actor }) => `${kind} ${actor}`);
  assert.deepEqual(
    kinds.filter((kind) => kind.endsWith(' null')),
    [
      'team.member-added null',
      'team.member-added null',
      'team.member-removed null',
      'team.member-removed null',
      'organization.member-added null',
      'organization.member-removed null',
    ],
  );
});

test('teams that the settings do not name are left alone', async (t) => {
  const { forge, enter, teamsOf } = await start(t);
  await enter('testers');
  const [writers] = (await forge.root.get('/api/v1/orgs/guild/teams/search?q=writers')).body.data;
  await forge.root.put(`/api/v1/teams/${writers.id}/members/cyd`);

  await enter();

  assert.deepEqual(await teamsOf('cyd'), ['writers']);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/members/cyd')).status, 204);
});

test('a sign-in that changes no team writes no event of a team', async (t) => {
  const { forge, enter } = await start(t);
  await enter('developers');
  const { database } = forge.forge.running.engines;
  const before = (await eventsOf(database, 'team.')).length;

  await enter('developers');

  assert.equal((await eventsOf(database, 'team.')).length, before);
});

test('an organization that has blocked the user is not joined', async (t) => {
  const { forge, enter, teamsOf } = await start(t);
  await enter();
  assert.equal((await forge.root.put('/api/v1/orgs/guild/block/cyd')).status, 204);

  await enter('developers');

  assert.deepEqual(await teamsOf('cyd'), []);
});

test('a group that maps to Owners is refused unless the operator allows it', async (t) => {
  const provider = await startProvider(t);
  for (const team of ['guild/Owners', 'guild/owners'])
    await assert.rejects(
      startForgeWith(t, [providerSettings(provider, { groupTeams: { bosses: team } })]),
      /set allowOwners to true/,
    );
});

test('where the operator allows it, a group owns an organization, but the last owner stays', async (t) => {
  const { forge, enter, teamsOf } = await start(t, {
    createAccounts: 'automatic',
    allowOwners: true,
    groupTeams: { bosses: 'guild/Owners' },
  });

  await enter('bosses');
  assert.deepEqual(await teamsOf('cyd'), ['Owners']);
  const [owners] = (await forge.root.get('/api/v1/orgs/guild/teams')).body;
  assert.equal((await forge.root.delete(`/api/v1/teams/${owners.id}/members/ada`)).status, 204);
  await enter();

  const members = (await forge.root.get(`/api/v1/teams/${owners.id}/members`)).body;
  assert.deepEqual(
    members.map((member: { login: string }) => member.login),
    ['cyd'],
  );
});

test('a user who links an account gets its teams at once', async (t) => {
  const { provider, forge, teamsOf } = await start(t, { ...MAPPING, createAccounts: 'never' });
  const eve = await forge.account('eve');
  const reader = new PageReader(forge);
  await reader.signIn(eve);
  await signInAt(provider, reader, { sub: 'eve', groups: ['testers'] });
  assert.deepEqual(await teamsOf('eve'), []);

  await reader.post('/user/settings/linked-accounts', { what: 'link' });

  assert.deepEqual(await teamsOf('eve'), ['testers']);
});
