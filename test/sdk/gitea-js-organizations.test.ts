import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Api, giteaApi } from 'gitea-js';
import { type Person, startForge } from '../support/forge/forge.ts';

type Client = Api<unknown>;

async function statusOf(work: Promise<{ status: number }>): Promise<number> {
  return work.then(
    ({ status }) => status,
    (error: { status: number }) => error.status,
  );
}

const TEAMS = {
  writer: { permission: 'write', units: ['repo.code', 'repo.issues'] },
  reader: { permission: 'read', units: ['repo.code'] },
  tracker: { permission: 'write', units: ['repo.issues'] },
} as const;

/** An empty forge, and a client for each role. */
async function startRoles(t: TestContext) {
  const forge = await startForge(t);
  const people: Record<string, Person> = {};
  for (const name of ['ada', 'writer', 'reader', 'tracker', 'stranger'])
    people[name] = await forge.account(name);
  const client = (name: string): Client => giteaApi(forge.url, { token: people[name]?.token ?? '' });
  return { client, anonymous: giteaApi(forge.url) };
}

/** Creates the organization `guild` with a private and a public repository. */
async function createGuild(ada: Client): Promise<void> {
  const { data: guild } = await ada.orgs.orgCreate({
    username: 'guild',
    full_name: 'The Guild',
    visibility: 'limited',
  });
  assert.deepEqual([guild.name, guild.visibility], ['guild', 'limited']);
  await ada.orgs.createOrgRepo('guild', { name: 'handbook', private: true, auto_init: true });
  await ada.orgs.createOrgRepo('guild', { name: 'notice-board', auto_init: true });
}

/** Creates a team for each role, with one member and the private repository. */
async function createTeams(ada: Client): Promise<void> {
  for (const [name, { permission, units }] of Object.entries(TEAMS)) {
    const { data: team } = await ada.orgs.orgCreateTeam('guild', {
      name: `${name}s`,
      permission,
      units: [...units],
    });
    assert.equal(team.organization?.name, 'guild');
    await ada.teams.orgAddTeamMember(team.id ?? 0, name);
    await ada.teams.orgAddTeamRepository(team.id ?? 0, 'guild', 'handbook');
  }
}

/** Repositories that a client sees, and the statuses of its requests. */
async function accessOf(api: Client, name: string) {
  const repositories = await api.orgs.orgListRepos('guild');
  const file = { content: '', message: `By ${name}` };
  return {
    repositories: repositories.data.map((each) => each.name),
    push: repositories.data[0]?.permissions?.push,
    contents: await statusOf(api.repos.repoGetContents('guild', 'handbook', 'README.md')),
    write: await statusOf(api.repos.repoCreateFile('guild', 'handbook', `${name}.txt`, file)),
    teams: await statusOf(api.orgs.orgListTeams('guild')),
    create: await statusOf(api.orgs.createOrgRepo('guild', { name: `by-${name}` })),
  };
}

const BOTH = ['handbook', 'notice-board'];
const ACCESS = {
  writer: { repositories: BOTH, push: true, contents: 200, write: 201, teams: 200, create: 403 },
  reader: { repositories: BOTH, push: false, contents: 200, write: 403, teams: 200, create: 403 },
  tracker: { repositories: BOTH, push: false, contents: 500, write: 403, teams: 200, create: 403 },
  stranger: {
    repositories: ['notice-board'],
    push: false,
    contents: 404,
    write: 404,
    teams: 403,
    create: 403,
  },
};

async function listTeamsAndMembers(ada: Client): Promise<void> {
  const { data: teams } = await ada.orgs.orgListTeams('guild');
  assert.deepEqual(
    teams.map(({ name, permission }) => [name, permission]),
    [
      ['Owners', 'owner'],
      ['readers', 'read'],
      ['trackers', 'write'],
      ['writers', 'write'],
    ],
  );
  const { data: members } = await ada.orgs.orgListMembers('guild');
  assert.deepEqual(
    members.map(({ login }) => login),
    ['ada', 'reader', 'tracker', 'writer'],
  );
}

async function findTeamsAndPermissions(ada: Client, writer: Client): Promise<void> {
  const { data: own } = await writer.user.userListTeams();
  assert.deepEqual(
    own.map(({ name, organization }) => [name, organization?.username]),
    [['writers', 'guild']],
  );
  const { data: found } = await ada.orgs.teamSearch('guild', { q: 'writ' });
  assert.deepEqual([found.ok, found.data?.[0]?.name], [true, 'writers']);
  const { data: permission } = await ada.repos.repoGetRepoPermissions('guild', 'handbook', 'writer');
  assert.deepEqual([permission.permission, permission.user?.login], ['write', 'writer']);
}

async function changeAndDeleteTeam(ada: Client, writer: Client): Promise<void> {
  const { data: own } = await writer.user.userListTeams();
  const id = own[0]?.id ?? 0;
  const { data: edited } = await ada.teams.orgEditTeam(id, { name: 'scribes', permission: 'read' });
  assert.deepEqual([edited.name, edited.permission], ['scribes', 'read']);
  assert.equal((await accessOf(writer, 'writer')).write, 403);
  await ada.teams.orgRemoveTeamMember(id, 'writer');
  assert.deepEqual((await accessOf(writer, 'writer')).repositories, ['notice-board']);
  await ada.teams.orgDeleteTeam(id);
  assert.equal(await statusOf(ada.orgs.orgDelete('guild')), 422);
}

test('gitea-js manages an organization', async (t) => {
  const { client, anonymous } = await startRoles(t);
  const ada = client('ada');
  await createGuild(ada);
  await createTeams(ada);
  await t.test('it lists teams and members', () => listTeamsAndMembers(ada));
  for (const [name, access] of Object.entries(ACCESS)) {
    await t.test(`the ${name} has the access of the role`, async () => {
      assert.deepEqual(await accessOf(client(name), name), access);
    });
  }
  await t.test('an anonymous caller does not see a limited organization', async () => {
    assert.equal(await statusOf(anonymous.orgs.orgGet('guild')), 404);
  });
  await t.test('it finds teams and permissions', () => findTeamsAndPermissions(ada, client('writer')));
  await t.test('it changes and deletes a team', () => changeAndDeleteTeam(ada, client('writer')));
});
