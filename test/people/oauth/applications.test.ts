import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import {
  createClient,
  exchange,
  GIT_CREDENTIAL_OAUTH,
  grantedCode,
  REDIRECT_URI,
  requestPath,
  tokensFor,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const OWN = '/api/v1/user/applications/oauth2';
const FIELDS = { name: 'Builder', redirect_uris: [REDIRECT_URI], confidential_client: true };

test('a user creates, reads, changes and deletes applications', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');

  const created = await ada.post(OWN, FIELDS);
  assert.equal(created.status, 201);
  const { id, client_id: clientId, client_secret: secret, created: at, ...rest } = created.body;
  assert.match(clientId, /^[0-9a-f-]{36}$/);
  assert.match(secret, /^quires_[0-9A-Za-z]{33}$/);
  assert.ok(Date.parse(at) > 0);
  assert.deepEqual(rest, { ...FIELDS, skip_secondary_authorization: false });
  const read = await ada.get(`${OWN}/${id}`);
  assert.deepEqual(read.body, { ...created.body, client_secret: '' });
  const list = await ada.get(OWN);
  assert.deepEqual([list.body, list.headers.get('x-total-count')], [[read.body], '1']);

  const changed = await ada.patch(`${OWN}/${id}`, { name: 'Robot' });
  assert.deepEqual([changed.body.name, changed.body.client_id], ['Robot', clientId]);
  assert.notEqual(changed.body.client_secret, secret, 'a change makes a new secret, as in the reference');
  const open = await ada.patch(`${OWN}/${id}`, { confidential_client: false });
  assert.deepEqual([open.body.confidential_client, open.body.client_secret], [false, '']);

  for (const path of [`${OWN}/${id}`, `${OWN}/999999`]) {
    assert.equal((await eve.get(path)).status, 404);
    assert.equal((await eve.patch(path, { name: 'mine' })).status, 404);
    assert.equal((await eve.delete(path)).status, 404);
  }
  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 204);
  assert.equal((await ada.get(`${OWN}/${id}`)).status, 404);
  const events = await eventsOf(forge.forge.running.engines.database, 'oauth-application.');
  assert.deepEqual(
    events.map(({ kind }) => kind.split('.')[1]),
    ['created', 'changed', 'changed', 'deleted'],
  );
});

test('an application that cannot be used is a bad request', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const wrong = [
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(256) },
    { name: 'a\nb' },
    { name: 'a\u202eb' },
    { redirect_uris: [] },
    { redirect_uris: ['https://*.example/'] },
    { redirect_uris: Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`) },
  ];
  for (const fields of wrong) {
    const answer = await ada.post(OWN, { ...FIELDS, ...fields });
    assert.equal(answer.status, 400, JSON.stringify(fields));
  }
  assert.equal((await ada.post(OWN, {})).status, 400);
  assert.equal((await ada.post(OWN, { ...FIELDS, redirect_uris: 'https://app.example/' })).status, 422);
  const { body } = await ada.post(OWN, FIELDS);
  for (const fields of wrong)
    assert.equal((await ada.patch(`${OWN}/${body.id}`, fields)).status, 400, JSON.stringify(fields));
  assert.deepEqual((await ada.get(`${OWN}/${body.id}`)).body.redirect_uris, [REDIRECT_URI]);
});

test('owners of an organization manage its applications, and site administrators those of the site', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.post('/api/v1/orgs', { username: 'crew' });
  const ofCrew = '/api/v1/orgs/crew/applications/oauth2';
  const ofSite = '/api/v1/admin/applications/oauth2';

  const { body: crews } = await ada.post(ofCrew, FIELDS);
  assert.equal((await ada.get(`${ofCrew}/${crews.id}`)).body.name, 'Builder');
  assert.equal((await ada.get(`${OWN}/${crews.id}`)).status, 404);
  assert.equal((await eve.get(ofCrew)).status, 403);
  assert.equal((await eve.post(ofCrew, FIELDS)).status, 403);
  assert.equal((await ada.patch(`${ofCrew}/${crews.id}`, { name: 'Crew' })).body.name, 'Crew');
  assert.equal((await ada.delete(`${ofCrew}/${crews.id}`)).status, 204);

  assert.equal((await ada.get(ofSite)).status, 403);
  const { body: sites } = await forge.root.post(ofSite, FIELDS);
  assert.equal((await forge.root.get(`${ofSite}/${sites.id}`)).body.name, 'Builder');
  assert.equal((await ada.get(`${OWN}/${sites.id}`)).status, 404);
  assert.equal((await forge.root.delete(`${ofSite}/${sites.id}`)).status, 204);
});

test('every server has the applications of three clients of git, which no one changes', async (t) => {
  const forge = await startForge(t);
  const ofSite = '/api/v1/admin/applications/oauth2';

  const { body } = await forge.root.get(ofSite);

  assert.deepEqual(
    body.map((each: Record<string, unknown>) => [each.client_id, each.name, each.confidential_client]),
    [
      [GIT_CREDENTIAL_OAUTH, 'git-credential-oauth', false],
      ['e90ee53c-94e2-48ac-9358-a874fb9e0662', 'Git Credential Manager', false],
      ['d57cb8c4-630c-4168-8324-ec79935e18d4', 'tea', false],
    ],
  );
  for (const { id } of body) {
    assert.equal((await forge.root.patch(`${ofSite}/${id}`, { name: 'mine' })).status, 403);
    assert.equal((await forge.root.delete(`${ofSite}/${id}`)).status, 403);
  }
});

test('an owner has at most 100 applications', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const _ of Array.from({ length: 100 })) await createClient(ada);

  assert.equal((await ada.post(OWN, FIELDS)).status, 400);
});

test('deleting an application ends what was granted to it, and a new secret ends the former one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { access } = await tokensFor(forge, client, { reader });
  const works = async () => (await forge.get('/api/v1/user', { as: { token: access } })).status;

  const { body } = await ada.patch(`${OWN}/${client.id}`, {});
  const code = await grantedCode(reader, requestPath(client));
  assert.equal((await exchange(forge, client, code)).status, 401);
  assert.equal((await exchange(forge, { ...client, secret: body.client_secret }, code)).status, 200);
  assert.equal(await works(), 200);
  await ada.delete(`${OWN}/${client.id}`);

  assert.equal(await works(), 401);
});
