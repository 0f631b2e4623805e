import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, giteaApi } from 'gitea-js';
import { type Person, startForge } from '../support/forge.ts';

type Client = Api<unknown>;

async function statusOf(work: Promise<{ status: number }>): Promise<number> {
  return work.then(
    ({ status }) => status,
    (error: { status: number }) => error.status,
  );
}

test('gitea-js creates an organization with teams, members and repositories, and each role sees its part', async (t) => {
  const forge = await startForge(t);
  const people: Record<string, Person> = {};
  for (const name of ['ada', 'writer', 'reader', 'tracker', 'stranger'])
    people[name] = await forge.account(name);
  const client = (name: string): Client => giteaApi(forge.url, { token: people[name]?.token ?? '' });
  const ada = client('ada');

  const { data: guild } = await ada.orgs.orgCreate({
    username: 'guild',
    full_name: 'The Guild',
    visibility: 'limited',
  });
  assert.deepEqual([guild.name, guild.visibility], ['guild', 'limited']);
  const teams = {
    writer: { permission: 'write', units: ['repo.code', 'repo.issues'] },
    reader: { permission: 'read', units: ['repo.code'] },
    tracker: { permission: 'write', units: ['repo.issues'] },
  } as const;
  await ada.orgs.createOrgRepo('guild', { name: 'handbook', private: true, auto_init: true });
  await ada.orgs.createOrgRepo('guild', { name: 'notice-board', auto_init: true });
  for (const [name, { permission, units }] of Object.entries(teams)) {
    const { data: team } = await ada.orgs.orgCreateTeam('guild', {
      name: `${name}s`,
      permission,
      units: [...units],
    });
    assert.equal(team.organization?.name, 'guild');
    await ada.teams.orgAddTeamMember(team.id ?? 0, name);
    await ada.teams.orgAddTeamRepository(team.id ?? 0, 'guild', 'handbook');
  }

  const { data: listed } = await ada.orgs.orgListTeams('guild');
  assert.deepEqual(
    listed.map(({ name, permission }) => [name, permission]),
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

  const seen = async (name: string) => {
    const api = client(name);
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
  };
  const both = ['handbook', 'notice-board'];
  assert.deepEqual(await seen('writer'), {
    repositories: both,
    push: true,
    contents: 200,
    write: 201,
    teams: 200,
    create: 403,
  });
  assert.deepEqual(await seen('reader'), {
    repositories: both,
    push: false,
    contents: 200,
    write: 403,
    teams: 200,
    create: 403,
  });
  assert.deepEqual(await seen('tracker'), {
    repositories: both,
    push: false,
    contents: 500,
    write: 403,
    teams: 200,
    create: 403,
  });
  assert.deepEqual(await seen('stranger'), {
    repositories: ['notice-board'],
    push: false,
    contents: 404,
    write: 404,
    teams: 403,
    create: 403,
  });
  assert.equal(await statusOf(giteaApi(forge.url).orgs.orgGet('guild')), 404);

  const { data: own } = await client('writer').user.userListTeams();
  assert.deepEqual(
    own.map(({ name, organization }) => [name, organization?.username]),
    [['writers', 'guild']],
  );
  const { data: found } = await ada.orgs.teamSearch('guild', { q: 'writ' });
  assert.deepEqual([found.ok, found.data?.[0]?.name], [true, 'writers']);
  const { data: permission } = await ada.repos.repoGetRepoPermissions('guild', 'handbook', 'writer');
  assert.deepEqual([permission.permission, permission.user?.login], ['write', 'writer']);

  const writers = own[0]?.id ?? 0;
  const { data: edited } = await ada.teams.orgEditTeam(writers, { name: 'scribes', permission: 'read' });
  assert.deepEqual([edited.name, edited.permission], ['scribes', 'read']);
  assert.equal((await seen('writer')).write, 403);
  await ada.teams.orgRemoveTeamMember(writers, 'writer');
  assert.deepEqual((await seen('writer')).repositories, ['notice-board']);
  await ada.teams.orgDeleteTeam(writers);
  assert.equal(await statusOf(ada.orgs.orgDelete('guild')), 422);
});
