import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const HOSTILE = `<script>alert(1)</script>"'`;
const PATH = '/-/admin';
const PAGES = ['', '/users', '/users/new', '/users/ada/edit', '/orgs', '/cron', '/audit', '/config'];

test('administrators see and change the server in a browser', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: HOSTILE });
  await ada.post('/api/v1/orgs', { username: 'weavers', description: HOSTILE });
  const reader = new PageReader(forge);
  const boss = await forge.account('boss');
  await forge.root.patch('/api/v1/admin/users/boss', { admin: true });
  await reader.signIn(boss);
  const other = new PageReader(forge);
  await other.signIn(ada);
  const stranger = new PageReader(forge);

  await t.test('only they see the pages, and the menu leads only them there', async () => {
    for (const page of PAGES) {
      const { status, text } = await reader.get(`${PATH}${page}`);
      assert.equal(status, 200, page);
      assert.doesNotMatch(text, /<script/, page);
      assert.equal((await other.get(`${PATH}${page}`)).status, 403, page);
      assert.match((await stranger.get(`${PATH}${page}`)).headers.get('location') ?? '', /^\/user\/login/);
    }
    assert.match((await reader.get('/')).text, /href="\/-\/admin"/);
    assert.doesNotMatch((await other.get('/')).text, /href="\/-\/admin"/);
  });

  await t.test('a user is created, found, changed, suspended and deleted', async () => {
    const fields = { username: 'eve', email: 'eve@example.org', password: 'a long password' };
    const created = await reader.post(`${PATH}/users/new`, fields);
    const page = created.headers.get('location') ?? '';
    assert.deepEqual([created.status, page], [303, `${PATH}/users/eve/edit`]);
    assert.match((await reader.get(`${PATH}/users?q=ev`)).text, /<strong>eve<\/strong>/);
    for (const wrong of [{ username: '' }, { username: 'eve' }, { email: 'none' }, { password: 'x' }]) {
      const refused = await reader.post(`${PATH}/users/new`, { ...fields, username: 'eve2', ...wrong });
      assert.deepEqual(
        [refused.status, /role="alert"/.test(refused.text)],
        [422, true],
        JSON.stringify(wrong),
      );
    }
    const edit = { full_name: 'Eve', email: 'eve@example.org', visibility: 'limited', active: 'on' };
    await reader.post(page, { ...edit, allow_create_organization: 'on' });
    const { body } = await forge.root.get('/api/v1/users/eve');
    assert.deepEqual([body.full_name, body.visibility, body.is_admin], ['Eve', 'limited', false]);
    assert.equal((await reader.post(page, { ...edit, email: 'none' })).status, 422);
    await reader.post(page, { change: 'suspend', on: 'true' });
    assert.match((await reader.get(page)).text, /Suspended/);
    await reader.post(page, { change: 'suspend', on: 'false' });
    const link = await reader.post(page, { change: 'link' });
    assert.match(link.text, /\/user\/recover_account\//);
    assert.equal(link.headers.get('cache-control'), 'no-store');
    assert.match(
      (await reader.post(page, { change: 'rename', username: 'mallory' })).headers.get('location') ?? '',
      /mallory/,
    );
    assert.equal((await reader.post(`${PATH}/users/mallory/delete`, { confirm: 'x' })).status, 422);
    await reader.post(`${PATH}/users/mallory/delete`, { confirm: 'mallory' });
    assert.equal((await reader.get(`${PATH}/users/mallory/edit`)).status, 404);
  });

  await t.test('recurring work runs on request', async () => {
    assert.match((await reader.get(`${PATH}/cron`)).text, /archive_cleanup/);
    assert.equal((await reader.post(`${PATH}/cron`, { task: 'archive_cleanup' })).status, 303);
  });

  await t.test('the audit log is filtered and paged', async () => {
    assert.match((await reader.get(`${PATH}/audit?action=cron-task.requested`)).text, /archive_cleanup/);
    assert.match((await reader.get(`${PATH}/audit?actor=nobody`)).text, /No entry matches/);
    const { text } = await reader.get(`${PATH}/audit?limit=1&actor=boss`);
    const next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /actor=boss/);
    assert.equal((await reader.get(next)).status, 200);
    assert.equal((await reader.get(`${PATH}/audit?cursor=odd`)).status, 422);
  });

  await t.test('others, and pages of other sites, change nothing', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const fields = {
      username: 'stolen',
      email: 's@example.org',
      password: 'a long password',
      task: 'archive_cleanup',
    };
    for (const page of ['/users/new', '/users/ada/edit', '/users/ada/delete', '/cron']) {
      assert.equal((await reader.post(`${PATH}${page}`, fields, { headers })).status, 403, page);
      assert.equal((await other.post(`${PATH}${page}`, fields)).status, 403, page);
    }
    assert.equal((await forge.get('/stolen')).status, 404);
  });
});
