import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { sshKeyLine } from './ssh-key-line.ts';

const HOSTILE = `<script>alert(1)</script>"'`;
const PATH = '/ada/loom/settings';

test('administrators of a repository change its settings in a browser', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.repository('loom', { auto_init: true });
  await ada.post('/api/v1/orgs', { username: 'weavers' });
  await ada.post('/api/v1/orgs/weavers/repos', { name: 'cards' });
  await ada.post('/api/v1/orgs/weavers/teams', { name: 'readers', permission: 'read', units: ['repo.code'] });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const other = new PageReader(forge);
  await other.signIn(ben);
  const repository = async () => (await ada.get('/api/v1/repos/ada/loom')).body;

  await t.test('only they see the pages, and the tab that leads to them', async () => {
    assert.match((await reader.get('/ada/loom')).text, /href="\/ada\/loom\/settings"/);
    assert.doesNotMatch((await other.get('/ada/loom')).text, /href="\/ada\/loom\/settings"/);
    for (const part of [
      '',
      '/collaboration',
      '/hooks',
      '/hooks/new',
      '/keys',
      '/branches',
      '/branches/edit',
      '/tags',
    ]) {
      const { status, text } = await reader.get(`${PATH}${part}`);
      assert.deepEqual([status, /class="side-nav"/.test(text)], [200, true], part);
      assert.equal((await other.get(`${PATH}${part}`)).status, 403, part);
      assert.equal((await other.get(`/ada/none/settings${part}`)).status, 404, part);
    }
  });

  await t.test('general settings change, and wrong ones say why', async () => {
    const fields = { change: 'general', name: 'loom', description: HOSTILE, website: 'https://example.org' };
    const changed = await reader.post(PATH, { ...fields, default_branch: 'main', template: 'on' });
    assert.equal(changed.headers.get('location'), PATH);
    const { description, template } = await repository();
    assert.deepEqual([description, template], [HOSTILE, true]);
    assert.doesNotMatch((await reader.get(PATH)).text, /<script/);
    for (const wrong of [{ name: '' }, { name: 'a b' }, { website: 'javascript:x' }]) {
      const refused = await reader.post(PATH, { ...fields, ...wrong });
      assert.deepEqual(
        [refused.status, /role="alert"/.test(refused.text)],
        [422, true],
        JSON.stringify(wrong),
      );
    }
  });

  await t.test('parts, ways to merge, visibility and the archive are switched', async () => {
    await reader.post(PATH, { change: 'units', has_issues: 'on', has_pull_requests: 'on' });
    const { has_wiki, has_issues, has_releases } = await repository();
    assert.deepEqual([has_wiki, has_issues, has_releases], [false, true, false]);
    await reader.post(PATH, { change: 'pulls', allow_squash_merge: 'on', default_merge_style: 'squash' });
    const { allow_merge_commits, default_merge_style } = await repository();
    assert.deepEqual([allow_merge_commits, default_merge_style], [false, 'squash']);
    await reader.post(PATH, { change: 'visibility', private: 'true' });
    assert.equal((await other.get('/ada/loom')).status, 404);
    assert.equal((await other.post(PATH, { change: 'visibility', private: 'false' })).status, 404);
    await reader.post(PATH, { change: 'archive', archived: 'true' });
    assert.equal((await repository()).archived, true);
    await reader.post(PATH, { change: 'archive', archived: 'false' });
    assert.equal((await reader.post(PATH, { change: 'odd' })).status, 422);
  });

  await t.test('collaborators are added, changed and removed', async () => {
    const path = `${PATH}/collaboration`;
    assert.equal((await reader.post(path, { collaborator: 'ben', permission: 'read' })).status, 303);
    assert.equal((await other.get('/ada/loom')).status, 200);
    await reader.post(path, { collaborator: 'ben', permission: 'admin' });
    assert.match((await reader.get(path)).text, /value="admin" selected/);
    for (const [collaborator, permission] of [
      ['nobody', 'read'],
      ['ada', 'read'],
      ['ben', 'owner'],
    ] as const)
      assert.equal((await reader.post(path, { collaborator, permission })).status, 422, collaborator);
    await reader.post(path, { collaborator: 'ben', change: 'remove' });
    assert.equal((await other.get('/ada/loom')).status, 404);
  });

  await t.test('teams of an organization get the repository and lose it', async () => {
    const path = '/weavers/cards/settings/collaboration';
    assert.equal((await reader.post(`${path}/teams`, { team: 'readers' })).status, 303);
    assert.match((await reader.get(path)).text, /<strong>readers<\/strong>/);
    assert.equal((await reader.post(`${path}/teams`, { team: 'none' })).status, 422);
    await reader.post(`${path}/teams`, { team: 'readers', change: 'remove' });
    assert.doesNotMatch((await reader.get(path)).text, /<strong>readers<\/strong>/);
  });

  await t.test('deploy keys are added and removed', async () => {
    const path = `${PATH}/keys`;
    assert.equal((await reader.post(path, { title: HOSTILE, key: sshKeyLine() })).status, 303);
    const { text } = await reader.get(path);
    assert.match(text, /SHA256:/);
    assert.doesNotMatch(text, /<script/);
    assert.equal((await reader.post(path, { title: 'x', key: 'none' })).status, 422);
    const [{ id }] = (await ada.get('/api/v1/repos/ada/loom/keys')).body;
    await reader.post(path, { change: 'remove', id: `${id}` });
    assert.deepEqual((await ada.get('/api/v1/repos/ada/loom/keys')).body, []);
  });

  await t.test('branches and tags are protected, and freed again', async () => {
    const path = `${PATH}/branches`;
    const fields = { rule_name: 'release/*', pushers: 'listed', push_users: 'ada', required_approvals: '2' };
    assert.equal(
      (await reader.post(`${path}/edit`, { ...fields, require_signed_commits: 'on' })).status,
      303,
    );
    const find = async () => (await ada.get('/api/v1/repos/ada/loom/branch_protections')).body[0];
    const rule = await find();
    assert.deepEqual(
      [rule.push_whitelist_usernames, rule.required_approvals, rule.require_signed_commits],
      [['ada'], 2, true],
    );
    assert.match((await reader.get(`${path}/edit?rule_name=release%2F*`)).text, /value="listed" selected/);
    await reader.post(`${path}/edit`, { ...fields, former: 'release/*', pushers: 'none' });
    assert.equal((await find()).enable_push, false);
    for (const wrong of [{ rule_name: '' }, { push_users: 'nobody' }, {}])
      assert.equal(
        (await reader.post(`${path}/edit`, { ...fields, ...wrong })).status,
        422,
        JSON.stringify(wrong),
      );
    await reader.post(path, { rule_name: 'release/*' });
    assert.match((await reader.get(path)).text, /No branch is protected/);

    assert.equal((await reader.post(`${PATH}/tags`, { name_pattern: 'v*', users: 'ada' })).status, 303);
    assert.match((await reader.get(`${PATH}/tags`)).text, /<code>v\*<\/code>/);
    assert.equal((await reader.post(`${PATH}/tags`, { name_pattern: 'v*' })).status, 422);
    const [{ id }] = (await ada.get('/api/v1/repos/ada/loom/tag_protections')).body;
    await reader.post(`${PATH}/tags`, { change: 'delete', id: `${id}` });
    assert.match((await reader.get(`${PATH}/tags`)).text, /No tag is protected/);
  });

  await t.test('webhooks are added, changed, tested and deleted, and secrets are never shown', async () => {
    const path = `${PATH}/hooks`;
    const fields = {
      type: 'forgejo',
      url: 'https://example.org/x',
      content_type: 'json',
      secret: 'psst',
      active: 'on',
    };
    const created = await reader.post(`${path}/new`, { ...fields, 'event-push': 'on', 'event-wiki': 'on' });
    const hook = created.headers.get('location') ?? '';
    assert.match(hook, /^\/ada\/loom\/settings\/hooks\/\d+$/);
    const [{ events, active }] = (await ada.get('/api/v1/repos/ada/loom/hooks')).body;
    assert.deepEqual([events, active], [['push', 'wiki'], true]);
    assert.doesNotMatch((await reader.get(hook)).text, /psst/);
    await reader.post(hook, { ...fields, secret: '', which: 'all', active: '' });
    const [changed] = (await ada.get('/api/v1/repos/ada/loom/hooks')).body;
    assert.deepEqual([changed.events, changed.active], [['*'], false]);
    assert.equal((await reader.post(hook, { change: 'test' })).status, 303);
    assert.match((await reader.get(hook)).text, /Deliveries[\s\S]*<strong>push<\/strong>/);
    for (const wrong of [{ url: '' }, { url: 'ftp://x' }, { type: 'odd' }, { branch_filter: '{' }])
      assert.equal(
        (await reader.post(`${path}/new`, { ...fields, ...wrong })).status,
        422,
        JSON.stringify(wrong),
      );
    assert.equal((await reader.get(`${path}/999999`)).status, 404);
    await reader.post(hook, { change: 'delete' });
    assert.equal((await reader.get(hook)).status, 404);
  });

  await t.test('forms of other sites change nothing', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const part of [
      '',
      '/collaboration',
      '/collaboration/teams',
      '/hooks/new',
      '/keys',
      '/transfer',
      '/delete',
    ])
      assert.equal((await reader.post(`${PATH}${part}`, { confirm: 'loom' }, { headers })).status, 403, part);
  });

  await t.test('a transfer and the deletion need the name of the repository', async () => {
    assert.equal((await reader.post(`${PATH}/transfer`, { new_owner: 'weavers', confirm: 'x' })).status, 422);
    const moved = await reader.post(`${PATH}/transfer`, { new_owner: 'weavers', confirm: 'loom' });
    assert.equal(moved.headers.get('location'), '/weavers/loom');
    const path = '/weavers/loom/settings';
    assert.equal((await reader.post(`${path}/delete`, { confirm: '' })).status, 422);
    assert.equal(
      (await reader.post(`${path}/delete`, { confirm: 'loom' })).headers.get('location'),
      '/weavers',
    );
    assert.equal((await reader.get('/weavers/loom')).status, 404);
  });
});
