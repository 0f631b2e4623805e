import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { createClient, tokensFor } from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const PATH = '/user/settings/applications';
const FIELDS = { name: 'Builder', redirect_uris: 'https://app.example/a\r\nhttps://app.example/b\r\n' };

test('a user adds, changes and deletes an application on pages, and sees its secret once', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  const added = await reader.post(`${PATH}/new`, { ...FIELDS, confidential_client: 'on' });
  assert.equal(added.status, 200);
  assert.equal(added.headers.get('cache-control'), 'no-store');
  const [secret = ''] = /quires_[0-9A-Za-z]{33}/.exec(added.text) ?? [];
  assert.notEqual(secret, '');
  const list = await reader.get(PATH);
  const [, id = ''] = /oauth2\/(\d+)"/.exec(list.text) ?? [];
  const one = `${PATH}/oauth2/${id}`;
  const page = await reader.get(one);
  assert.match(page.text, /https:\/\/app\.example\/a\nhttps:\/\/app\.example\/b/);
  assert.ok(!page.text.includes(secret) && !list.text.includes(secret));

  const renewed = await reader.post(one, { change: 'new-secret' });
  assert.match(renewed.text, /quires_/);
  assert.ok(!renewed.text.includes(secret));
  const saved = await reader.post(one, {
    ...FIELDS,
    change: 'save',
    name: 'Robot',
    confidential_client: 'on',
  });
  assert.equal(saved.status, 303, 'a change on the page makes no new secret');
  assert.equal((await ada.get('/api/v1/user/applications/oauth2')).body[0].name, 'Robot');
  assert.equal((await reader.post(one, { change: 'delete' })).status, 303);
  assert.equal((await reader.get(one)).status, 404);
});

test('a form with a wrong address comes back with what was typed and a sentence that says why', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const wrong = { name: 'Robot', redirect_uris: 'https://*.example/' };

  for (const path of [`${PATH}/new`, `${PATH}/oauth2/${id}`]) {
    const answer = await reader.post(path, { ...wrong, change: 'save' });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /role="alert">[^<]*wildcard/);
    assert.match(answer.text, /value="Robot"/);
    assert.match(answer.text, /https:\/\/\*\.example\//);
  }
  assert.equal((await ada.get('/api/v1/user/applications/oauth2')).body.length, 1);
});

test('pages that change applications need a recent proof, and the form of this server', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const changes = [`${PATH}/new`, `${PATH}/oauth2/${id}`];
  for (const path of changes) {
    const headers = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await reader.post(path, { change: 'delete', ...FIELDS }, { headers })).status, 403);
  }
  await ageSessions(forge, 16 * 60_000);

  for (const path of changes) {
    const proof = `/user/confirm?redirect_to=${encodeURIComponent(path)}`;
    assert.equal((await reader.get(path)).headers.get('location'), proof);
    assert.equal((await reader.post(path, { change: 'delete' })).headers.get('location'), proof);
  }
  assert.equal((await reader.get(PATH)).status, 200);
});

test('only owners see the applications of an organization, and only administrators those of the site', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.post('/api/v1/orgs', { username: 'crew' });
  const [ofAda, ofEve, ofRoot] = [new PageReader(forge), new PageReader(forge), new PageReader(forge)];
  await ofAda.signIn(ada);
  await ofEve.signIn(eve);
  await ofRoot.signIn(forge.root);
  const crew = '/org/crew/settings/applications';

  assert.equal((await ofAda.post(`${crew}/new`, { ...FIELDS, confidential_client: 'on' })).status, 200);
  assert.match((await ofAda.get(crew)).text, /Builder/);
  const { body } = await ada.get('/api/v1/orgs/crew/applications/oauth2');
  const one = `${crew}/oauth2/${body[0].id}`;
  assert.equal((await ofAda.get(one)).status, 200);
  for (const path of [crew, `${crew}/new`, one]) assert.equal((await ofEve.get(path)).status, 403);
  assert.equal((await ofEve.post(one, { change: 'delete' })).status, 403);
  assert.equal((await ofAda.get(`${PATH}/oauth2/${body[0].id}`)).status, 404);
  assert.equal((await ofAda.get('/admin/applications')).status, 403);
  assert.match((await ofRoot.get('/admin/applications')).text, /git-credential-oauth/);
});

test('a user sees which applications act for them, and ends one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const first = await tokensFor(forge, client, { reader, scope: 'write:issue' });
  const second = await tokensFor(forge, client, { reader, scope: 'read:user' });
  const works = async (token: string) => (await forge.get('/api/v1/user', { as: { token } })).status !== 401;

  const page = await reader.get(PATH);
  assert.match(page.text, /can read and change your issues[^<]*; read your account/);
  assert.match(page.text, /granted 2 times/);
  const eve = new PageReader(forge);
  await eve.signIn(await forge.account('eve'));
  await eve.post(`${PATH}/grants`, { application_id: String(client.id) });
  assert.equal(await works(first.access), true);
  await reader.post(`${PATH}/grants`, { application_id: String(client.id) });

  assert.deepEqual([await works(first.access), await works(second.access)], [false, false]);
  assert.match((await reader.get(PATH)).text, /None\./);
});
