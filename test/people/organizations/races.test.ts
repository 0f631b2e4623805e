import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Guild, startGuild } from '../../support/forge/organizations.ts';
import type { Answer } from '../../support/http/http.ts';

const ROUNDS = 6;

/** Sends all requests concurrently, several times. */
async function inRounds(race: (round: number) => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let round = 0; round < ROUNDS; round += 1) answers.push(...(await race(round)));
  return answers;
}

function assertNoFault(answers: readonly Answer[]): void {
  for (const { status, text } of answers) assert.ok(status < 500, `${status} ${text}`);
}

async function membersOf(guild: Guild): Promise<readonly string[]> {
  const { body } = await guild.ada.get('/api/v1/orgs/guild/members');
  return body.map(({ login }: { login: string }) => login);
}

test('H8: an account deleted while it gets a permission keeps none, and no request returns 5xx', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const { root } = forge;
  const { id } = await guild.team('writers');
  await guild.repository('handbook');

  const answers = await inRounds(async (round) => {
    const ben = await forge.account(`ben-${round}`);
    const { name } = ben;
    return Promise.all([
      ada.put(`/api/v1/teams/${id}/members/${name}`),
      ada.put(`/api/v1/repos/guild/handbook/collaborators/${name}`, { permission: 'write' }),
      root.delete(`/api/v1/admin/users/${name}`),
      ada.put(`/api/v1/teams/${id}/members/${name}`),
      ada.put(`/api/v1/repos/guild/handbook/collaborators/${name}`, { permission: 'read' }),
      root.post(`/api/v1/admin/users/${name}/orgs`, { username: `org-${round}` }),
      ben.post('/api/v1/user/emails', { emails: [`${name}@example.com`] }),
      ben.patch('/api/v1/user/settings', { location: 'here' }),
    ]);
  });

  assertNoFault(answers);
  const users = (await root.get('/api/v1/admin/users')).body.map((each: { login: string }) => each.login);
  for (const name of await membersOf(guild)) assert.ok(users.includes(name), name);
});

test('H8: an organization, team or repository that is deleted while it changes is deleted, and no request returns 5xx', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');

  const answers = await inRounds(async (round) => {
    const name = `org-${round}`;
    await ada.post('/api/v1/orgs', { username: name });
    const { id } = (await ada.post(`/api/v1/orgs/${name}/teams`, { name: 'writers' })).body;
    const { id: other } = await guild.team(`team-${round}`);
    await guild.repository(`repository-${round}`);
    return Promise.all([
      ada.put(`/api/v1/teams/${id}/members/ben`),
      ada.patch(`/api/v1/teams/${id}`, { name: 'readers' }),
      ada.post(`/api/v1/orgs/${name}/teams`, { name: 'others' }),
      ada.patch(`/api/v1/orgs/${name}`, { location: 'here' }),
      ada.delete(`/api/v1/orgs/${name}`),
      ada.post(`/api/v1/orgs/${name}/rename`, { new_name: `was-${round}` }),
      ada.post(`/api/v1/orgs/${name}/repos`, { name: 'late' }),
      ada.post(`/api/v1/orgs/${name}/teams`, { name: 'later' }),
      ada.delete(`/api/v1/teams/${id}/members/ben`),
      ada.put(`/api/v1/teams/${other}/members/ben`),
      ada.put(`/api/v1/teams/${other}/repos/guild/repository-${round}`),
      ada.put(`/api/v1/repos/guild/repository-${round}/collaborators/ben`, {}),
      ada.delete(`/api/v1/repos/guild/repository-${round}`),
      ada.delete(`/api/v1/teams/${other}`),
      ada.put(`/api/v1/teams/${other}/repos/guild/repository-${round}`),
      ada.put(`/api/v1/repos/guild/repository-${round}/collaborators/ben`, { permission: 'read' }),
    ]);
  });

  assertNoFault(answers);
  // A deletion is rejected if the repository or the new name came first, so delete again.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of [`org-${round}`, `was-${round}`]) {
      await ada.delete(`/api/v1/repos/${name}/late`);
      await ada.delete(`/api/v1/orgs/${name}`);
    }
    assert.equal((await ada.get(`/api/v1/orgs/was-${round}`)).status, 404);
    assert.equal((await ada.get(`/api/v1/orgs/org-${round}`)).status, 404);
  }
  assert.deepEqual(await membersOf(guild), ['ada']);
  assert.equal((await ben.get('/api/v1/user/teams')).body.length, 0);
});
