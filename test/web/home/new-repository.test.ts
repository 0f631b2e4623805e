import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const HOSTILE = `<script>alert(1)</script>"'`;

test('users create, copy, fork and mark repositories in a browser', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'weavers' });
  await ben.repository('engine', { auto_init: true });
  await ben.repository('secret', { private: true });
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  await t.test('a form creates a repository with its first files', async () => {
    const fields = {
      owner: 'ada',
      name: 'loom',
      private: 'on',
      auto_init: 'on',
      license: 'MIT',
      gitignores: 'Node',
    };
    const created = await reader.post('/repo/create', fields);
    assert.deepEqual([created.status, created.headers.get('location')], [303, '/ada/loom']);
    const { body } = await ada.get('/api/v1/repos/ada/loom/contents');
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['.gitignore', 'LICENSE', 'README.md'],
    );
    assert.equal((await ada.get('/api/v1/repos/ada/loom')).body.private, true);
  });

  await t.test('an organization owns it if the form names one, and the viewer may create there', async () => {
    assert.match((await reader.get('/repo/create?owner=weavers')).text, /value="weavers" selected/);
    const created = await reader.post('/repo/create', { owner: 'weavers', name: 'cards' });
    assert.equal(created.headers.get('location'), '/weavers/cards');
    await ben.post('/api/v1/orgs', { username: 'others' });
    assert.equal((await reader.post('/repo/create', { owner: 'others', name: 'cards' })).status, 403);
  });

  await t.test('wrong input shows the form again, with what was typed', async () => {
    for (const name of ['', 'a b', HOSTILE, 'loom', '..']) {
      const refused = await reader.post('/repo/create', { owner: 'ada', name, description: HOSTILE });
      assert.equal(refused.status, 422, name);
      assert.match(refused.text, /<p class="problem" role="alert">\w/);
      assert.match(refused.text, /name="description" type="text" value="&lt;script/);
      assert.doesNotMatch(refused.text, /<script/);
    }
    assert.equal(
      (await reader.post('/repo/create', { name: 'x', license: 'odd', auto_init: 'on' })).status,
      422,
    );
  });

  await t.test('a fork belongs to the viewer, and only what the viewer sees can be forked', async () => {
    assert.match((await reader.get('/ben/engine/fork')).text, /Fork ben\/engine/);
    const forked = await reader.post('/ben/engine/fork', { owner: 'ada', name: 'my-engine' });
    assert.equal(forked.headers.get('location'), '/ada/my-engine');
    const again = await reader.post('/ben/engine/fork', { owner: 'ada', name: 'other' });
    assert.deepEqual([again.status, again.text.includes('value="other"')], [422, true]);
    for (const send of [reader.get('/ben/secret/fork'), reader.post('/ben/secret/fork', {})])
      assert.equal((await send).status, 404);
  });

  await t.test('a copy needs an address and a name', async () => {
    assert.match((await reader.get('/repo/migrate')).text, /Copy a repository/);
    const fields = { clone_addr: 'file:///etc', repo_name: 'copy', auth_password: 'secret words' };
    const refused = await reader.post('/repo/migrate', fields);
    assert.deepEqual([refused.status, refused.text.includes('secret words')], [422, false]);
    assert.equal((await reader.post('/repo/migrate', { clone_addr: 'https://example.org/x' })).status, 422);
  });

  await t.test('buttons star and watch a repository, and end it', async () => {
    assert.match((await reader.get('/ben/engine')).text, /action="\/ben\/engine\/action\/star"/);
    for (const act of ['star', 'watch']) {
      const marked = await reader.post(`/ben/engine/action/${act}`, {});
      assert.deepEqual([marked.status, marked.headers.get('location')], [303, '/ben/engine']);
    }
    assert.equal((await ada.get('/api/v1/user/starred/ben/engine')).status, 204);
    assert.equal((await ada.get('/api/v1/repos/ben/engine/subscription')).status, 200);
    const { text } = await reader.get('/ben/engine');
    assert.match(text, /action\/unstar"[\s\S]*Unstar <span class="count">1</);
    for (const act of ['unstar', 'unwatch']) await reader.post(`/ben/engine/action/${act}`, {});
    assert.equal((await ada.get('/api/v1/user/starred/ben/engine')).status, 404);
    assert.equal((await reader.post('/ben/secret/action/star', {})).status, 404);
  });

  await t.test('forms of other sites change nothing, and strangers are led to the sign-in', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const stranger = new PageReader(forge);
    for (const path of ['/repo/create', '/repo/migrate', '/ben/engine/fork', '/ben/engine/action/star']) {
      assert.equal(
        (await reader.post(path, { owner: 'ada', name: 'stolen' }, { headers })).status,
        403,
        path,
      );
      assert.match((await stranger.post(path, {})).headers.get('location') ?? '', /^\/user\/login/, path);
    }
    assert.match((await stranger.get('/repo/create')).headers.get('location') ?? '', /^\/user\/login/);
    assert.equal((await ada.get('/api/v1/repos/ada/stolen')).status, 404);
    assert.doesNotMatch((await stranger.get('/ben/engine')).text, /<form method="post"/);
  });
});
