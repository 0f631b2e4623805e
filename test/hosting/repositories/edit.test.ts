import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { setRow } from './rows.ts';

const REPO = '/api/v1/repos/ada/engine';

async function startWithEngine(t: Parameters<typeof startForge>[0], options: Record<string, unknown> = {}) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const made = await ada.repository('engine', options);
  return { forge, ada, made };
}

test('an edit changes the fields sent; absent and null fields stay the same', async (t) => {
  const { ada, made } = await startWithEngine(t, { description: 'old' });

  const { status, body } = await ada.patch(REPO, {
    description: 'new',
    website: 'https://engine.example/a?b',
    template: true,
    private: null,
  });

  assert.equal(status, 200);
  const { updated_at: _, ...changed } = body;
  const { updated_at: __, ...before } = made;
  const expected = { description: 'new', website: 'https://engine.example/a?b', template: true };
  assert.deepEqual(changed, { ...before, ...expected });
  assert.deepEqual((await ada.get(REPO)).body, body);
  const cleared = await ada.patch(REPO, { description: '', website: '', template: false });
  assert.deepEqual([cleared.body.description, cleared.body.website, cleared.body.template], ['', '', false]);
});

test('an empty edit changes nothing and publishes no event', async (t) => {
  const { forge, ada, made } = await startWithEngine(t);
  const { database } = forge.forge.running.engines;
  for (const body of [{}, { description: '', private: false, has_issues: true, archived: false }]) {
    const { status, body: same } = await ada.patch(REPO, body);
    assert.equal(status, 200);
    assert.deepEqual(same, made);
  }
  assert.deepEqual(
    (await eventsOf(database, 'repository.')).map(({ kind }) => kind),
    ['repository.created'],
  );
});

test('an edit publishes one event with the actor and the changed settings', async (t) => {
  const { forge, ada } = await startWithEngine(t, { auto_init: true });
  const ben = await forge.account('ben');
  await ada.put(`${REPO}/collaborators/ben`, { permission: 'admin' });
  await ada.post(`${REPO}/contents/file`, { content: '', new_branch: 'other' });

  const body = { description: 'd', template: true, default_branch: 'other', has_wiki: false, archived: true };
  assert.equal((await ben.patch(REPO, body)).status, 200);

  const { database } = forge.forge.running.engines;
  assert.deepEqual(await eventsOf(database, 'repository.changed'), [
    {
      kind: 'repository.changed',
      actor: 'ben',
      changed: ['defaultBranch', 'description', 'isTemplate', 'archivedAt', 'wiki'],
    },
  ]);
});

test('403, 404, 401: an edit needs the level admin and the scope write:repository', async (t) => {
  const { forge, ada } = await startWithEngine(t);
  const hidden = await ada.repository('hidden', { private: true });
  const ben = await forge.account('ben');
  const edit = { description: 'x' };

  assert.equal((await ben.patch(REPO, edit)).status, 403);
  assert.equal((await forge.send('PATCH', REPO, { json: edit })).status, 401);
  assert.equal((await ben.patch(`/api/v1/repos/ada/${hidden.name}`, edit)).status, 404);
  for (const permission of ['read', 'write']) {
    await ada.put(`${REPO}/collaborators/ben`, { permission });
    assert.equal((await ben.patch(REPO, edit)).status, 403, permission);
  }
  await ada.put(`${REPO}/collaborators/ben`, { permission: 'admin' });
  const { body } = await ben.patch(REPO, edit);
  assert.deepEqual(body.permissions, { admin: true, push: true, pull: true });
  for (const [scopes, status] of [
    [['read:repository'], 403],
    [['write:repository'], 200],
  ] as const) {
    const as = { token: await ada.tokenFor(scopes) };
    assert.equal((await forge.send('PATCH', REPO, { as, json: edit })).status, status);
  }
});

test('an edit of basic properties, units and archive state is atomic: a rejected edit changes nothing', async (t) => {
  const { forge, ada, made } = await startWithEngine(t, { auto_init: true });
  await ada.post(`${REPO}/contents/file`, { content: '', new_branch: 'other' });
  await setRow(forge, made.id, { is_mirror: 1 });
  const before = (await ada.get(REPO)).body;
  const { database } = forge.forge.running.engines;
  const events = await eventsOf(database, '');
  const basic = {
    name: 'renamed',
    description: 'x',
    website: 'https://x.example',
    private: true,
    template: true,
    default_branch: 'other',
  };
  const units = { has_wiki: false, has_pull_requests: false, has_projects: false };

  for (const refused of [
    { ...basic, has_issues: true, external_tracker: { external_tracker_url: 'nowhere' } },
    { ...basic, ...units, has_wiki: true, external_wiki: { external_wiki_url: 'nowhere' } },
    { ...basic, ...units, archived: true },
    { ...basic, ...units, name: 'a.git' },
  ]) {
    assert.equal((await ada.patch(REPO, refused)).status, 422);
    assert.deepEqual((await ada.get(REPO)).body, before);
  }
  assert.deepEqual(await eventsOf(database, ''), events);
  assert.equal((await ada.patch(REPO, { ...basic, ...units })).status, 200);
});

test('the default branch changes only to an existing branch; other values are ignored', async (t) => {
  const { ada } = await startWithEngine(t, { auto_init: true });
  await ada.post(`${REPO}/contents/file`, { content: '', new_branch: 'wip/other' });
  const after = async (default_branch: string) => {
    const { status, body } = await ada.patch(REPO, {
      default_branch,
      description: default_branch.slice(0, 9),
    });
    assert.equal(status, 200);
    assert.equal(body.description, default_branch.slice(0, 9), 'other fields change');
    return body.default_branch;
  };

  for (const name of ['missing', 'main', 'HEAD', 'refs/heads/wip/other', 'a..b', '']) {
    assert.equal(await after(name), 'main', name);
  }
  assert.equal(await after('wip/other'), 'wip/other');
  assert.deepEqual(
    (await ada.get(`${REPO}/contents`)).body.map(({ name }: { name: string }) => name),
    ['file', 'README.md'].sort(),
  );
  assert.equal(await after('main'), 'main');
});

test('an empty repository keeps its default branch until the new one exists', async (t) => {
  const { ada } = await startWithEngine(t, { default_branch: 'trunk' });
  assert.equal((await ada.patch(REPO, { default_branch: 'other' })).body.default_branch, 'trunk');
  await ada.post(`${REPO}/contents/file`, { content: '', branch: 'trunk' });
  await ada.post(`${REPO}/contents/more`, { content: '', new_branch: 'other' });
  assert.equal((await ada.patch(REPO, { default_branch: 'other' })).body.default_branch, 'other');
});

test('422: the fields of an edit are strictly typed and bounded', async (t) => {
  const { ada, made } = await startWithEngine(t);
  for (const refused of [
    { private: 'yes' },
    { private: 1 },
    { description: 5 },
    { description: 'x'.repeat(2049) },
    { description: 'a\0b' },
    { website: `https://x.example/${'x'.repeat(1024)}` },
    { website: 'javascript:alert(1)' },
    { website: 'https://x.example/\u0000' },
    { has_issues: 'true' },
    { internal_tracker: true },
    { internal_tracker: { enable_time_tracker: 'on' } },
    { external_tracker: [] },
    { external_wiki: 'https://wiki.example' },
    { default_branch: 7 },
    { wiki_branch: 'a..b' },
    { wiki_branch: 'x'.repeat(101) },
    { default_merge_style: 'sideways' },
    { default_update_style: 'squash' },
    { archived: 'false' },
    [],
    'text',
  ]) {
    const { status, text } = await ada.patch(REPO, refused);
    assert.equal(status, 422, `${JSON.stringify(refused).slice(0, 60)}: ${text}`);
  }
  assert.deepEqual((await ada.get(REPO)).body, made);
  assert.equal((await ada.patch(REPO, { description: 'x'.repeat(2048), unheard_of: 1 })).status, 200);
});

test('422: settings of a pull mirror are rejected for an ordinary repository', async (t) => {
  const { ada } = await startWithEngine(t);
  assert.equal((await ada.patch(REPO, { mirror_interval: '8h0m0s' })).status, 422);
  assert.equal((await ada.patch(REPO, { enable_prune: true })).status, 422);
  assert.equal(
    (await ada.patch(REPO, { mirror_interval: '' })).status,
    200,
    'records have an empty interval',
  );
});

test('a record can be sent back unchanged', async (t) => {
  const { ada, made } = await startWithEngine(t, { auto_init: true });
  assert.equal((await ada.patch(REPO, made)).status, 200);
  const off = { has_issues: false, has_wiki: false, has_pull_requests: false, has_projects: false };
  const { body: bare } = await ada.patch(REPO, off);
  const { status, body } = await ada.patch(REPO, bare);
  assert.equal(status, 200);
  assert.deepEqual(body, bare);
});

test('H8: concurrent edits run one after another, each completely', async (t) => {
  const { ada } = await startWithEngine(t);
  const edits = ['a', 'b', 'c', 'd', 'e', 'f'].map((word) => ({
    description: word,
    website: `https://${word}.example`,
    internal_tracker: { enable_time_tracker: word < 'd' },
  }));

  const answers = await Promise.all(edits.map((edit) => ada.patch(REPO, edit)));

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { body } = await ada.get(REPO);
  assert.equal(body.website, `https://${body.description}.example`);
  assert.equal(body.internal_tracker.enable_time_tracker, body.description < 'd');
});

test('H8: an edit concurrent with a deletion takes effect before it or returns 404', async (t) => {
  const { forge, ada } = await startWithEngine(t);
  for (let round = 0; round < 8; round += 1) {
    if (round > 0) await ada.repository('engine', { auto_init: true });
    const edit = { description: 'x', private: true, default_branch: 'main', has_wiki: false };
    const [deleted, ...edited] = await Promise.all([
      ada.delete(REPO),
      ada.patch(REPO, edit),
      ada.patch(REPO, { archived: true }),
    ]);
    assert.equal(deleted.status, 204);
    for (const { status, text } of edited) assert.ok([200, 404].includes(status), `${status} ${text}`);
    assert.equal((await ada.get(REPO)).status, 404);
  }
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('repositories')
    .select('id')
    .execute();
  assert.deepEqual(rows, []);
});

test('H8: a branch deleted while it becomes the default either stays or is not the default', async (t) => {
  const { ada } = await startWithEngine(t, { auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q']);
  for (let round = 0; round < 8; round += 1) {
    const branch = `b${round}`;
    await ada.post(`${REPO}/contents/${branch}`, { content: '', branch: 'main', new_branch: branch });
    await Promise.all([
      tryGit(folder, ['push', ada.remote('ada/engine'), `:${branch}`]),
      ada.patch(REPO, { default_branch: branch }),
    ]);
    const { default_branch: now } = (await ada.get(REPO)).body;
    assert.equal((await ada.get(`${REPO}/contents?ref=${now}`)).status, 200, now);
    await ada.patch(REPO, { default_branch: 'main' });
  }
});
