import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { foldersAfterSweep } from './left-behind.ts';

const REPOS = '/api/v1/repos';
const ENGINE = `${REPOS}/ada/engine`;

/** Tables that have rows of a deleted repository: the audit log, past events, files to sweep, and settings of notebooks. */
const KEPT = ['audit_entries', 'events', 'git_removed', 'note_settings'];

/** Number of rows that refer to a repository, by table. */
async function rowsAbout(forge: TestForge, id: number): Promise<ReadonlyMap<string, number>> {
  const db = forge.forge.running.engines.database.reader;
  const counts = new Map<string, number>();
  for (const { name, columns } of await db.introspection.getTables()) {
    if (!columns.some((column) => column.name === 'repository_id')) continue;
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from ${sql.table(name)} where repository_id = ${id}`.execute(db);
    counts.set(name, rows[0]?.total ?? 0);
  }
  return counts;
}

test('deleting a repository without permission returns 403, and deleting a hidden one returns 404', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  for (const level of ['read', 'write', 'admin']) {
    const person = await forge.account(`may-${level}`);
    await ada.put(`${ENGINE}/collaborators/${person.name}`, { permission: level });
    assert.equal((await person.delete(ENGINE)).status, 403, level);
  }
  const eve = await forge.account('eve');
  assert.equal((await eve.delete(ENGINE)).status, 404);
  assert.equal((await forge.send('DELETE', ENGINE)).status, 404);

  const deleted = await ada.delete(ENGINE);

  assert.deepEqual([deleted.status, deleted.text], [204, '']);
  await ada.repository('engine');
  assert.equal((await eve.delete(ENGINE)).status, 403);
  assert.equal((await forge.send('DELETE', ENGINE)).status, 401);
  assert.equal((await forge.root.delete(ENGINE)).status, 204, 'a site administrator');
});

test('only owners delete repositories of an organization, unless it allows its administering teams to do so', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [writer, administrator] = [await forge.account('writer'), await forge.account('administrator')];
  await guild.repository('handbook');
  await guild.repository('charter');
  const repositories = ['handbook', 'charter'];
  await guild.team('writers', { permission: 'write', members: [writer], repositories });
  await guild.team('administrators', { permission: 'admin', members: [administrator], repositories });

  assert.equal((await writer.delete(`${REPOS}/guild/handbook`)).status, 403);
  const denied = await administrator.delete(`${REPOS}/guild/handbook`);
  assert.equal(denied.status, 403);
  assert.match(denied.body.message, /only owners of the organization may delete its repositories/);
  const rule = async (method: 'get' | 'patch', fields?: object) =>
    (await ada[method]('/api/v1/orgs/guild', fields as never)).body.team_admin_delete_repos;
  assert.equal(await rule('get'), false);
  assert.equal(await rule('patch', { team_admin_delete_repos: true }), true);
  assert.equal(await rule('patch', { description: 'x' }), true, 'other changes do not reset the setting');
  assert.equal((await administrator.delete(`${REPOS}/guild/handbook`)).status, 204);
  const created = await ada.post('/api/v1/orgs', { username: 'loom', team_admin_delete_repos: true });
  assert.equal(created.body.team_admin_delete_repos, true);
  assert.equal((await ada.delete(`${REPOS}/guild/charter`)).status, 204);
});

test('a deletion removes all rows of the repository, and its names return 404', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  const created = await guild.repository('handbook', { auto_init: true, issue_labels: 'Default' });
  const path = `${REPOS}/guild/handbook`;
  await ada.put(`${path}/collaborators/ben`, { permission: 'write' });
  await guild.team('writers', { permission: 'write', repositories: ['handbook'] });
  await ben.put('/api/v1/user/starred/guild/handbook');
  await ben.put(`${path}/subscription`);
  await ada.put(`${path}/topics/rules`);
  await ada.post(`${path}/contents/page`, { content: '' });
  await ada.get(`${path}/contents`);
  await ada.patch(path, { name: 'manual' });
  await ada.post(`${REPOS}/guild/manual/transfer`, { new_owner: 'ben' });
  const before = await rowsAbout(forge, created.id);
  const filled = [...before].filter(([, count]) => count > 0).map(([name]) => name);
  for (const table of ['git_refs', 'labels', 'collaborations', 'team_repositories', 'repository_redirects'])
    assert.ok(filled.includes(table), `no row in ${table}, only in ${filled}`);
  for (const table of ['repository_transfers', 'stars', 'watches', 'repository_topics'])
    assert.ok(filled.includes(table), `no row in ${table}, only in ${filled}`);
  assert.equal((await ben.get('/api/v1/users/ben')).body.starred_repos_count, 1);

  assert.equal((await ada.delete(`${REPOS}/guild/manual`)).status, 204);

  const left = [...(await rowsAbout(forge, created.id))].filter(([name]) => !KEPT.includes(name));
  assert.deepEqual(
    left.filter(([, count]) => count > 0),
    [],
  );
  for (const name of ['handbook', 'manual'])
    assert.equal((await ada.get(`${REPOS}/guild/${name}`)).status, 404, name);
  assert.equal((await ben.get('/api/v1/users/ben')).body.starred_repos_count, 0);
  assert.equal((await ada.get('/api/v1/topics/search?q=rules')).body.topics?.[0]?.repo_count ?? 0, 0);
});

test('a deletion frees the name at once, and the next sweep deletes the files', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const first = await ada.repository('engine', { auto_init: true });
  assert.equal((await foldersAfterSweep(forge)).length, 1);

  assert.equal((await ada.delete(ENGINE)).status, 204);
  const second = await ada.repository('engine', { auto_init: true, private: true });

  assert.notEqual(second.id, first.id);
  assert.equal((await foldersAfterSweep(forge)).length, 1);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  assert.equal(await git(folder, ['rev-list', '--count', 'HEAD']), '1');
});

test('a deletion event has the actor and the final name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.patch(ENGINE, { name: 'motor' });
  await forge.root.delete(`${REPOS}/ada/motor`);

  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'repository.deleted'), [
    { kind: 'repository.deleted', actor: 'root', name: 'ada/motor' },
  ]);
});

test('H8: of concurrent deletions of one repository, exactly one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });

  const answers = await Promise.all([1, 2, 3].map(() => ada.delete(ENGINE)));

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
  assert.equal((await eventsOf(forge.forge.running.engines.database, 'repository.deleted')).length, 1);
});

test('H8: an edit concurrent with a deletion takes effect before it or not at all', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (let round = 0; round < 6; round += 1) {
    const { id } = await ada.repository('engine', { auto_init: true });

    const [edited, deleted] = await Promise.all([
      ada.patch(ENGINE, { name: 'motor', description: 'x', private: true, archived: true }),
      ada.delete(ENGINE),
    ]);

    // After the rename, a deletion under the old name is redirected.
    assert.ok([204, 307].includes(deleted.status), deleted.text);
    assert.ok(edited.status === 200 || edited.status === 404, edited.text);
    if (deleted.status === 307) assert.equal((await ada.delete(`${REPOS}/ada/motor`)).status, 204);
    await assertGone(forge, id);
  }
});

/** Asserts that the last event of a repository is its deletion, and that none of its rows remains. */
async function assertGone(forge: TestForge, id: number): Promise<void> {
  const { reader } = forge.forge.running.engines.database;
  const last = await reader
    .selectFrom('events')
    .select('kind')
    .where('repository_id', '=', id)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  assert.equal(last?.kind, 'repository.deleted');
  const rows = [...(await rowsAbout(forge, id))].filter(([name, count]) => count > 0 && !KEPT.includes(name));
  assert.deepEqual(rows, []);
}

test('H8: a push concurrent with a deletion takes effect before it or is rejected, and does not restore the repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (let round = 0; round < 3; round += 1) {
    const { id } = await ada.repository('engine', { auto_init: true });
    const folder = await temporaryFolder(t);
    await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
    await commitAll(folder, 'Late');

    const [, deleted, written] = await Promise.all([
      tryGit(folder, ['push', '-q', 'origin', 'HEAD']),
      ada.delete(ENGINE),
      ada.post(`${ENGINE}/contents/late`, { content: '' }),
    ]);

    assert.equal(deleted.status, 204, deleted.text);
    assert.ok([201, 404].includes(written.status), written.text);
    await assertGone(forge, id);
    assert.deepEqual(await foldersAfterSweep(forge), []);
    const late = await tryGit(folder, ['push', '-q', 'origin', 'HEAD']);
    assert.notEqual(late.exitCode, 0);
  }
});

/** Runs `act` while ben accepts a transfer from ada. */
async function whileGiven(
  t: TestContext,
  act: (forge: TestForge, round: number) => Promise<{ readonly status: number }>,
): Promise<void> {
  const forge = await startForge(t);
  const ben = await forge.account('ben');
  for (let round = 0; round < 6; round += 1) {
    const ada = await forge.account(`ada-${round}`);
    const { id } = await ada.repository(`engine-${round}`, { auto_init: true });
    const path = `${REPOS}/ada-${round}/engine-${round}`;
    assert.equal((await ada.post(`${path}/transfer`, { new_owner: 'ben' })).status, 202);

    const [accepted, acted] = await Promise.all([ben.post(`${path}/transfer/accept`), act(forge, round)]);

    assert.ok([202, 404].includes(accepted.status), accepted.text);
    assert.ok(acted.status < 500 || acted.status === 503, `${acted.status}`);
    if (accepted.status === 202)
      assert.equal((await ben.get(`${REPOS}/ben/engine-${round}`)).body.id, id, 'ben has the repository');
    else await assertGone(forge, id);
  }
}

test('H8: the previous owner cannot delete a transferred repository', async (t) => {
  await whileGiven(t, (forge, round) => forge.root.delete(`${REPOS}/ada-${round}/engine-${round}`));
});

test("H8: deleting the previous owner's account does not delete a transferred repository", async (t) => {
  await whileGiven(t, (forge, round) => forge.root.delete(`/api/v1/admin/users/ada-${round}?purge=true`));
});
