import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const HOSTILE = `<script>alert(1)</script>"'`;

test('the page of a user shows what others may see', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.patch('/api/v1/user/settings', {
    full_name: HOSTILE,
    description: HOSTILE,
    location: HOSTILE,
    website: 'javascript:alert(1)',
  });
  await ada.repository('ada', { auto_init: true, description: 'About the countess' });
  await ada.repository('secret', { private: true });
  await ben.repository('engine');
  await ada.put('/api/v1/user/starred/ben/engine');
  await ada.put('/api/v1/user/following/ben');
  const reader = new PageReader(forge);
  await reader.signIn(ben);

  await t.test('the README of the repository with the name of the user is on it', async () => {
    const { text } = await forge.get('/ada');
    assert.match(text, /<section class="box" aria-label="README.md">[\s\S]*About the countess/);
    assert.doesNotMatch((await forge.get('/ada?tab=repositories')).text, /README.md/);
  });

  await t.test('each tab has its list, and other tabs are missing', async () => {
    assert.match((await forge.get('/ada?tab=stars')).text, /href="\/ben\/engine"/);
    assert.match((await forge.get('/ada?tab=following')).text, /class="row-title"><a href="\/ben"/);
    assert.match((await forge.get('/ben?tab=followers')).text, /class="row-title"><a href="\/ada"/);
    assert.match((await forge.get('/ada?tab=activity')).text, /contributions? in the last year/);
    assert.match((await forge.get('/ben?tab=stars')).text, /has starred no repository/);
    for (const tab of ['teams', 'members', 'odd'])
      assert.equal((await forge.get(`/ada?tab=${tab}`)).status, 404);
    assert.match((await forge.get('/ada?q=nothing')).text, /No repository matches/);
  });

  await t.test('F1: texts are escaped in each tab, and only addresses of the web are links', async () => {
    for (const tab of ['', '?tab=activity', '?tab=stars', '?tab=followers', '?tab=following']) {
      const { text } = await forge.get(`/ada${tab}`);
      assert.doesNotMatch(text, /<script|href="javascript/);
    }
  });

  await t.test('a user who hides their activity shows none', async () => {
    await ada.patch('/api/v1/user/settings', { hide_activity: true });
    assert.match((await forge.get('/ada?tab=activity')).text, /0 contributions[\s\S]*No activity/);
    assert.match((await forge.get('/ada?tab=stars')).text, /has starred no repository/);
    await ada.patch('/api/v1/user/settings', { hide_activity: false });
  });

  await t.test('a form follows the user and ends it', async () => {
    assert.match((await reader.get('/ada')).text, />Follow<\/button>[\s\S]*>Block<\/button>/);
    const followed = await reader.post('/ada', { action: 'follow' });
    assert.deepEqual([followed.status, followed.headers.get('location')], [303, '/ada']);
    assert.equal((await ben.get('/api/v1/user/following/ada')).status, 204);
    assert.match((await reader.get('/ada')).text, />Unfollow<\/button>/);
    await reader.post('/ada', { action: 'unfollow' });
    assert.equal((await ben.get('/api/v1/user/following/ada')).status, 404);
    const refused = await reader.post('/ben', { action: 'follow' });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /You cannot follow yourself\./);
  });

  await t.test('a form of another site, or without a sign-in, changes nothing', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await reader.post('/ada', { action: 'follow' }, { headers })).status, 403);
    const stranger = await new PageReader(forge).post('/ada', { action: 'follow' });
    assert.match(stranger.headers.get('location') ?? '', /^\/user\/login/);
    assert.equal((await ben.get('/api/v1/user/following/ada')).status, 404);
    assert.equal((await forge.get('/ada')).text.includes('<form method="post"'), false);
  });
});

test('the page of an organization shows members and teams to its members', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'weavers', description: HOSTILE });
  await ada.post('/api/v1/orgs', { username: 'secrets', visibility: 'private' });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const other = new PageReader(forge);
  await other.signIn(ben);

  const { text } = await reader.get('/weavers');
  assert.doesNotMatch(text, /<script/);
  assert.match(text, /href="\/repo\/create\?owner=weavers"/);
  assert.match((await reader.get('/weavers?tab=members')).text, /class="row-title"><a href="\/ada"/);
  assert.match((await reader.get('/weavers?tab=teams')).text, /<strong>Owners<\/strong>/);
  assert.match((await other.get('/weavers?tab=members')).text, /No member is public/);
  assert.equal((await other.get('/weavers?tab=teams')).status, 404);
  assert.equal((await forge.get('/weavers?tab=teams')).status, 404);
  assert.equal((await other.get('/weavers?tab=stars')).status, 404);
  assert.equal((await other.get('/secrets')).status, 404);
  assert.equal((await reader.get('/secrets')).status, 200);
  assert.doesNotMatch((await other.get('/weavers')).text, /repo\/create/);
});
