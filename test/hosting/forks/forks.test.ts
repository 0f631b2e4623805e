import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, objectsOf, refsOf, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { foldersAfterSweep, leftIn } from '../repositories/left-behind.ts';

const FORKS = '/api/v1/repos/ada/engine/forks';

/** Creates the users ada and ben, and ada's repository `engine` with a first commit. */
async function startWithEngine(t: Parameters<typeof startForge>[0], options: Record<string, unknown> = {}) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true, description: 'Notes on it', ...options });
  return { forge, ada, ben };
}

const record = async (who: Person | TestForge, path: string) => (await who.get(`/api/v1/repos/${path}`)).body;

test('202: forking a repository', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t, { default_branch: 'trunk', website: '' });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await git(folder, ['tag', '-m', 'first', 'v1']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:refs/heads/feature/x', 'v1']);

  const { status, body } = await ben.post(FORKS, {});
  assert.equal(status, 202);

  await t.test('the fork has the description and the default branch of its parent', () => {
    assert.deepEqual(
      [body.full_name, body.fork, body.empty, body.private, body.description, body.default_branch],
      ['ben/engine', true, false, false, 'Notes on it', 'trunk'],
    );
    assert.deepEqual([body.website, body.topics, body.stars_count], ['', [], 0]);
    assert.deepEqual([body.template, body.mirror], [false, false]);
    assert.deepEqual(body.permissions, { admin: true, push: true, pull: true });
  });
  await t.test('the fork names its parent, whose count includes it', () => {
    const { full_name, parent, forks_count } = body.parent;
    assert.deepEqual([full_name, parent, forks_count], ['ada/engine', null, 1]);
  });
  await t.test('the fork has only the units code and pull requests', () => {
    assert.equal(body.has_pull_requests, true);
    assert.deepEqual(
      [
        body.has_issues,
        body.has_wiki,
        body.has_projects,
        body.has_releases,
        body.has_packages,
        body.has_actions,
      ],
      Array(6).fill(false),
    );
  });
  await t.test('the fork has the branches, tags and files of its parent', async () => {
    const [ofFork, ofParent] = [ben.remote('ben/engine'), ada.remote('ada/engine')];
    assert.deepEqual(await refsOf(folder, ofFork), await refsOf(folder, ofParent));
    assert.equal((await ben.get('/api/v1/repos/ben/engine/contents/README.md')).status, 200);
  });
  await t.test('forking publishes its events', async () => {
    const events = await eventsOf(forge.forge.running.engines.database, 'repository.');
    assert.deepEqual(
      events.map(({ kind, actor }) => [kind, actor]),
      [
        ['repository.created', 'ada'],
        ['repository.created', 'ben'],
        ['repository.forked', 'ben'],
      ],
    );
  });
});

test('a fork and its parent change independently, and the fork stays complete without its parent', async (t) => {
  const { ada, ben } = await startWithEngine(t);
  await ben.post(FORKS, {});
  const write = (who: Person, path: string, file: string) =>
    who.post(`/api/v1/repos/${path}/contents/${file}`, { content: '' });

  assert.equal((await write(ben, 'ben/engine', 'mine')).status, 201);
  assert.equal((await write(ada, 'ada/engine', 'hers')).status, 201);

  assert.equal((await ada.get('/api/v1/repos/ada/engine/contents/mine')).status, 404);
  assert.equal((await ben.get('/api/v1/repos/ben/engine/contents/hers')).status, 404);
  assert.equal((await ben.delete('/api/v1/repos/ada/engine')).status, 403);
  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--mirror', ben.remote('ben/engine'), '.']);
  await git(folder, ['fsck', '--strict', '--full']);
  assert.ok((await objectsOf(folder)).length >= 4);
});

test('a fork can have another name and an organization as owner, and its parent is the forked repository', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });
  await guild.team('writers', { permission: 'write', members: [ben] });
  await ada.repository('engine', { auto_init: true });

  const named = await ben.post(FORKS, { name: 'motor', organization: '' });
  assert.equal(named.body.full_name, 'ben/motor');
  const mine = await ada.post(FORKS, { name: 'again' });
  assert.deepEqual([mine.status, mine.body.parent.full_name], [202, 'ada/engine']);
  const ofFork = await cleo.post('/api/v1/repos/ben/motor/forks', { organization: 'guild' });
  assert.equal(ofFork.status, 202);
  assert.equal(ofFork.body.full_name, 'guild/motor');
  assert.equal(ofFork.body.parent.full_name, 'ben/motor');
  assert.deepEqual(ofFork.body.permissions, { admin: true, push: true, pull: true });

  assert.equal((await ben.post(FORKS, { organization: 'guild' })).status, 403);
  assert.equal((await ben.post(FORKS, { organization: 'nothing' })).status, 422);
  assert.equal((await ben.post(FORKS, { organization: 'ada' })).status, 422);
  await ada.post('/api/v1/orgs', { username: 'secret', visibility: 'private' });
  assert.equal((await ben.post(FORKS, { organization: 'secret' })).status, 404);
});

test('409: the owner already has a fork of the repository, or a repository of the same name', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  assert.equal((await ada.post(FORKS, {})).status, 409, 'the parent itself has this name');
  assert.equal((await ben.post(FORKS, {})).status, 202);
  const before = await leftIn(forge);

  assert.equal((await ben.post(FORKS, {})).status, 409);
  assert.equal((await ben.post(FORKS, { name: 'another' })).status, 409);
  await ben.repository('taken');
  await ben.delete('/api/v1/repos/ben/engine');
  assert.equal((await ben.post(FORKS, { name: 'TAKEN' })).status, 409);

  const after = await leftIn(forge);
  assert.deepEqual([after.repositories, after.intents], [before.repositories, 0]);
  assert.equal((await record(ada, 'ada/engine')).forks_count, 0);
});

test('H8: of concurrent forks for one owner, one succeeds and is counted once', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);

  const created = await Promise.all(
    ['engine', 'engine', 'motor', 'other'].map((name) => ben.post(FORKS, { name })),
  );

  assert.deepEqual(created.map((answer) => answer.status).sort(), [202, 409, 409, 409]);
  assert.equal((await record(ada, 'ada/engine')).forks_count, 1);
  assert.equal((await foldersAfterSweep(forge)).length, 2);
});

test('422: an invalid request is rejected and leaves no rows or files', async (t) => {
  const { forge, ben } = await startWithEngine(t);
  const before = await leftIn(forge);

  for (const name of ['..', '.', '-', 'a/b', 'x.git', 'a b', 'a\0', 'x'.repeat(101), '\u202e'])
    assert.equal((await ben.post(FORKS, { name })).status, 422, name);
  for (const body of [{ name: 5 }, { organization: [] }, []])
    assert.equal((await ben.post(FORKS, body)).status, 422, JSON.stringify(body));

  assert.deepEqual(await leftIn(forge), before);
});

test('forking requires read access and the scopes for creating a repository', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t, { private: true });
  await ada.repository('open', { auto_init: true });
  const open = '/api/v1/repos/ada/open/forks';

  assert.equal((await ben.post(FORKS, {})).status, 404);
  assert.equal((await forge.send('POST', FORKS, { json: {} })).status, 404);
  assert.equal((await forge.send('POST', open, { json: {} })).status, 401);
  const by = async (scopes: readonly string[], json: object = {}) => {
    const as = { token: await ben.tokenFor(scopes) };
    return (await forge.send('POST', open, { as, json })).status;
  };
  assert.equal(await by(['read:repository', 'write:user']), 403);
  assert.equal(await by(['write:repository']), 403);
  assert.equal(await by(['write:repository', 'write:user'], { organization: 'x' }), 403);
  assert.equal(await by(['write:repository', 'write:user']), 202);
  assert.equal((await record(ada, 'ada/open')).forks_count, 1);

  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  const limited = await forge.send('POST', '/api/v1/users/ben/tokens', {
    as: { name: 'ben', password: ben.password },
    json: { name: 'limited', scopes: ['all'], repositories: ['ada/engine'] },
  });
  const as = { token: limited.body.sha1 };
  assert.equal((await forge.send('POST', FORKS, { as, json: {} })).status, 403);
  assert.equal((await ben.post(FORKS, {})).status, 202);
});

test('A4: a fork is private if it would otherwise be visible to viewers who cannot see its parent', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const lin = await forge.account('lin', { visibility: 'limited' });
  const ben = await forge.account('ben');
  const cas = await forge.account('cas', { visibility: 'limited' });
  await ada.repository('secret', { private: true, auto_init: true });
  await ada.put('/api/v1/repos/ada/secret/collaborators/ben', { permission: 'read' });
  await lin.repository('shy', { auto_init: true });
  await ada.post('/api/v1/orgs', { username: 'lodge', visibility: 'private' });
  await ada.post('/api/v1/orgs/lodge/repos', { name: 'inner', auto_init: true });

  assert.equal((await ben.post('/api/v1/repos/ada/secret/forks', {})).body.private, true);
  assert.equal((await ben.post('/api/v1/repos/lin/shy/forks', {})).body.private, true);
  assert.equal((await cas.post('/api/v1/repos/lin/shy/forks', {})).body.private, false);
  assert.equal((await ada.post('/api/v1/repos/lodge/inner/forks', {})).body.private, true);

  const publicOnly = { token: await ben.tokenFor(['all', 'public-only']) };
  await ben.delete('/api/v1/repos/ben/shy');
  const hidden = await forge.send('POST', '/api/v1/repos/lin/shy/forks', { as: publicOnly, json: {} });
  assert.equal(hidden.status, 404);
  const cleo = await forge.account('cleo');
  assert.deepEqual(names((await cleo.get('/api/v1/repos/lin/shy/forks')).body), ['cas/shy']);
});

test('forks are private if the site forces repositories to be private', async (t) => {
  const forge = await startForge(t, { settings: { forcePrivate: 'true' } });
  const ben = await forge.account('ben');
  const open = await forge.root.post('/api/v1/user/repos', { name: 'open', auto_init: true, private: false });
  assert.equal(open.body.private, false);

  assert.equal((await ben.post('/api/v1/repos/root/open/forks', {})).body.private, true);
});

test('the list of forks contains only those that are visible to the viewer', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const lin = await forge.account('lin', { visibility: 'limited' });
  const cleo = await forge.account('cleo');
  for (const who of [ben, lin, cleo]) await who.post(FORKS, { name: `of-${who.name}` });

  const listed = await ada.get(`${FORKS}?limit=2`);
  assert.deepEqual(names(listed.body), ['ben/of-ben', 'cleo/of-cleo']);
  assert.equal(listed.headers.get('x-total-count'), '3');
  assert.match(listed.headers.get('link') ?? '', /page=2/);
  assert.deepEqual(names((await forge.get(FORKS)).body), ['ben/of-ben', 'cleo/of-cleo']);
  assert.equal((await forge.get(FORKS)).headers.get('x-total-count'), '2');
  assert.equal((await record(ada, 'ada/engine')).forks_count, 3);
  assert.equal((await ben.get('/api/v1/repos/ada/nothing/forks')).status, 404);
});

test('deleting a fork lowers the count of its parent; deleting the parent leaves an ordinary repository', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const cleo = await forge.account('cleo');
  await ben.post(FORKS, {});
  await cleo.post(FORKS, {});
  assert.equal((await record(ada, 'ada/engine')).forks_count, 2);

  await cleo.delete('/api/v1/repos/cleo/engine');
  assert.equal((await record(ada, 'ada/engine')).forks_count, 1);
  await cleo.post(FORKS, {});
  await forge.root.delete('/api/v1/admin/users/cleo?purge=true');
  assert.equal((await record(ada, 'ada/engine')).forks_count, 1);
  await ada.delete('/api/v1/repos/ada/engine');

  const left = await record(ben, 'ben/engine');
  assert.deepEqual([left.fork, left.parent], [false, null]);
  const folder = await temporaryFolder(t);
  await forge.forge.running.engines.git.upkeep.sweep(0);
  await git(folder, ['clone', '-q', ben.remote('ben/engine'), '.']);
});

test('empty, archived and SHA-256 repositories can be forked', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t, { object_format_name: 'sha256' });
  await ada.repository('empty', { default_branch: 'trunk' });
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set({ archived_at: 1 }).where('lower_name', '=', 'engine').execute(),
  );

  const created = await ben.post(FORKS, {});
  assert.deepEqual(
    [created.status, created.body.object_format_name, created.body.archived],
    [202, 'sha256', false],
  );
  const empty = await ben.post('/api/v1/repos/ada/empty/forks', {});
  assert.deepEqual([empty.status, empty.body.empty, empty.body.default_branch], [202, true, 'trunk']);
  assert.equal((await ben.post('/api/v1/repos/ben/empty/contents/a', { content: '' })).status, 201);
});

test('B8: a repository that becomes private or is deleted during the fork is not forked', async (t) => {
  const { forge, ada, ben } = await startWithEngine(t);
  const { git: storage, database } = forge.forge.running.engines;
  const before = await leftIn(forge);
  const fork = storage.writes.fork.bind(storage.writes);
  /** Runs after the viewer is authorized, before the storage forks the repository. */
  let beforeFork = async (): Promise<void> => {};
  storage.writes.fork = async (...given) => {
    await beforeFork();
    return fork(...given);
  };
  const setPrivate = (isPrivate: number) => () =>
    database.transaction(async (tx) => {
      await tx.updateTable('repositories').set({ is_private: isPrivate }).execute();
    });

  beforeFork = setPrivate(1);
  assert.equal((await ben.post(FORKS, {})).status, 404);
  assert.deepEqual(await leftIn(forge), before);

  await setPrivate(0)();
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'read' });
  const created = await ben.post(FORKS, {});
  assert.deepEqual([created.status, created.body.private], [202, true]);
  await ben.delete('/api/v1/repos/ben/engine');

  beforeFork = async () => void (await ada.delete('/api/v1/repos/ada/engine'));
  assert.equal((await ben.post(FORKS, {})).status, 404);
  beforeFork = async () => {};
  assert.deepEqual(await foldersAfterSweep(forge), []);
});

test('B6: an object that only the fork has cannot be fetched from its parent, in any protocol version', async (t) => {
  const { ada, ben } = await startWithEngine(t);
  await ben.post(FORKS, {});
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ben.remote('ben/engine'), '.']);
  const secret = await commitAll(folder, 'only in the fork');
  await git(folder, ['push', '-q', 'origin', 'HEAD:main']);

  for (const protocol of ['0', '2']) {
    const empty = await temporaryFolder(t);
    await git(empty, ['init', '-q']);
    const fetched = (remote: string) =>
      tryGit(empty, ['-c', `protocol.version=${protocol}`, 'fetch', '-q', remote, secret]);
    const fromParent = await fetched(ada.remote('ada/engine'));
    assert.notEqual(fromParent.exitCode, 0, `protocol ${protocol}`);
    assert.match(fromParent.stderr, /not our ref|unadvertised object|not advertised/);
    const fromFork = await fetched(ben.remote('ben/engine'));
    assert.equal(fromFork.exitCode, 0, fromFork.stderr);
  }
  assert.equal((await ada.get(`/api/v1/repos/ada/engine/contents?ref=${secret}`)).status, 404);
});
