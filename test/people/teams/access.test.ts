import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { type Guild, startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';

const REPOSITORY = '/api/v1/repos/guild/handbook';

/** Access of a person to a repository, over the API and over git. */
async function verdicts(guild: Guild, person: Person, folder: string) {
  const read = await person.get(REPOSITORY);
  const file = await person.get(`${REPOSITORY}/contents/README.md`);
  const raw = await person.get(`${REPOSITORY}/raw/README.md`);
  const write = await person.post(`${REPOSITORY}/contents/by-${person.name}.txt`, { content: '' });
  const gitRefs = (service: string) =>
    guild.forge.get(`/guild/handbook.git/info/refs?service=${service}`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${person.name}:${person.token}`).toString('base64')}`,
      },
    });
  const clone = await tryGit(folder, ['ls-remote', person.remote('guild/handbook')]);
  const remove = await person.delete(`${REPOSITORY}/collaborators/nobody`);
  return {
    permissions: read.body.permissions,
    statuses: [
      read,
      file,
      raw,
      write,
      await gitRefs('git-upload-pack'),
      await gitRefs('git-receive-pack'),
    ].map((answer) => answer.status),
    clones: clone.exitCode === 0,
    administers: remove.status !== 403 && read.status === 200,
  };
}

const NOTHING = {
  permissions: undefined,
  statuses: [404, 404, 404, 404, 404, 404],
  clones: false,
  administers: false,
};

async function verdictsOf(
  t: Parameters<typeof startGuild>[0],
  team: Record<string, unknown>,
  options: { private: boolean },
) {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { auto_init: true, ...options });
  await guild.team('team', { ...team, members: [ben], repositories: ['handbook'] });
  return verdicts(guild, ben, await temporaryFolder(t));
}

const LEVELS: Record<string, Awaited<ReturnType<typeof verdicts>>> = {
  none: NOTHING,
  read: {
    permissions: { admin: false, push: false, pull: true },
    // A push of a reader may propose commits.
    statuses: [200, 200, 200, 403, 200, 200],
    clones: true,
    administers: false,
  },
  write: {
    permissions: { admin: false, push: true, pull: true },
    statuses: [200, 200, 200, 201, 200, 200],
    clones: true,
    administers: false,
  },
  admin: {
    permissions: { admin: true, push: true, pull: true },
    statuses: [200, 200, 200, 201, 200, 200],
    clones: true,
    administers: true,
  },
};

for (const [permission, expected] of Object.entries(LEVELS)) {
  test(`a team at ${permission} gives its members that level on its private repositories, over the API and git`, async (t) => {
    assert.deepEqual(await verdictsOf(t, { permission }, { private: true }), expected);
  });
}

test('a team without the code unit shows the repository, but not its code: contents 500, raw and git 403', async (t) => {
  const seen = await verdictsOf(t, { permission: 'write', units: ['repo.issues'] }, { private: true });

  assert.deepEqual(seen, {
    permissions: { admin: false, push: false, pull: false },
    statuses: [200, 500, 403, 403, 403, 403],
    clones: false,
    administers: false,
  });
});

test('everyone reads a public repository, including members of a team without the code unit', async (t) => {
  const seen = await verdictsOf(t, { permission: 'write', units: ['repo.issues'] }, { private: false });

  assert.deepEqual(seen, LEVELS.read);
});

test('each unit has its own level', async (t) => {
  const seen = await verdictsOf(
    t,
    { units_map: { 'repo.code': 'read', 'repo.issues': 'admin', 'repo.wiki': 'write' } },
    { private: true },
  );

  assert.deepEqual(seen.permissions, { admin: false, push: false, pull: true });
  assert.deepEqual(seen.statuses, [200, 200, 200, 403, 200, 403]);
});

test("B2: a team's admin level on one unit does not administer the repository", async (t) => {
  const guild = await startGuild(t, { repo_admin_change_team_access: true });
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true, auto_init: true });
  const units = { units_map: { 'repo.issues': 'admin', 'repo.wiki': 'admin' } };
  const { id } = await guild.team('trackers', { ...units, members: [ben], repositories: ['handbook'] });

  assert.equal((await ben.put(`${REPOSITORY}/collaborators/ben`, { permission: 'admin' })).status, 403);
  assert.equal((await ben.delete(`${REPOSITORY}/collaborators/ada`)).status, 403);
  assert.equal((await ben.put(`${REPOSITORY}/teams/Owners`)).status, 403);
  assert.equal((await ben.delete(`/api/v1/teams/${id}/repos/guild/handbook`)).status, 403);
  assert.equal((await ben.delete(REPOSITORY)).status, 403);
  const { body } = await ben.get(`${REPOSITORY}/collaborators/ben/permission`);
  assert.equal(body.permission, 'write', 'units alone give at most the level write');
});

test('an administering team has all units of its repositories, even if it names only some', async (t) => {
  const seen = await verdictsOf(t, { permission: 'admin', units: ['repo.wiki'] }, { private: true });
  const mapped = await verdictsOf(
    t,
    { permission: 'admin', units_map: { 'repo.code': 'none', 'repo.wiki': 'read' } },
    { private: true },
  );

  assert.deepEqual(seen, LEVELS.admin);
  assert.deepEqual(mapped, LEVELS.admin);
});

test('a member of several teams who is a collaborator has the highest level of each unit', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true, auto_init: true });
  const push = async () => (await ben.get(REPOSITORY)).body.permissions?.push;

  await guild.team('a', {
    permission: 'write',
    units: ['repo.issues'],
    members: [ben],
    repositories: ['handbook'],
  });
  assert.equal(await push(), false);
  const { id } = await guild.team('b', {
    permission: 'write',
    units: ['repo.code'],
    members: [ben],
    repositories: ['handbook'],
  });
  assert.equal(await push(), true);
  await guild.ada.patch(`/api/v1/teams/${id}`, { permission: 'read' });
  assert.equal(await push(), false);
  await guild.ada.put(`${REPOSITORY}/collaborators/ben`, { permission: 'write' });
  assert.equal(await push(), true);
  await guild.ada.delete(`${REPOSITORY}/collaborators/ben`);
  assert.equal(await push(), false);
});

test('a team grants nothing on repositories outside it or of other owners', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true });
  await guild.repository('secrets', { private: true });
  await guild.team('team', { permission: 'admin', members: [ben], repositories: ['handbook'] });
  await guild.ada.repository('own', { private: true });

  assert.equal((await ben.get('/api/v1/repos/guild/handbook')).status, 200);
  assert.equal((await ben.get('/api/v1/repos/guild/secrets')).status, 404);
  assert.equal((await ben.get('/api/v1/repos/ada/own')).status, 404);
});

test('owners of an organization own its repositories: only they may delete', async (t) => {
  const guild = await startGuild(t);
  const [ben, cleo] = [await guild.forge.account('ben'), await guild.forge.account('cleo')];
  const repositories = ['one', 'two', 'three'];
  for (const name of repositories) await guild.repository(name, { private: true });
  await guild.team('writers', { permission: 'write', members: [ben], repositories });
  await guild.team('masters', { permission: 'admin', members: [cleo], repositories });

  assert.equal((await ben.delete('/api/v1/repos/guild/one')).status, 403);
  assert.equal((await cleo.delete('/api/v1/repos/guild/one')).status, 403);
  assert.equal((await guild.ada.delete('/api/v1/repos/guild/one')).status, 204);
  assert.equal((await guild.ada.delete('/api/v1/repos/guild/two')).status, 204);
  assert.equal((await guild.forge.root.delete('/api/v1/repos/guild/three')).status, 204);
});

test('a restricted member has only the access of their teams, even to public repositories', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben', { restricted: true });
  await guild.repository('handbook', { private: true });
  await guild.repository('open');
  await guild.team('team', { permission: 'read', members: [ben], repositories: ['handbook'] });

  assert.equal((await ben.get('/api/v1/repos/guild/handbook')).status, 200);
  assert.equal((await ben.get('/api/v1/repos/guild/open')).status, 404);
});

test('members of a team push and pull with git', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  await guild.repository('handbook', { private: true, auto_init: true });
  await guild.team('writers', { permission: 'write', members: [ben], repositories: ['handbook'] });
  const folder = await temporaryFolder(t);

  await git(folder, ['clone', '-q', ben.remote('guild/handbook'), '.']);
  const commit = await commitAll(folder, 'By a member');
  await git(folder, ['push', '-q', 'origin', 'HEAD']);

  assert.match(await git(folder, ['ls-remote', 'origin', 'refs/heads/main']), new RegExp(commit));
});
