import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const LIST = '/api/v1/user/sessions';
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const OWN_SITE = { 'sec-fetch-site': 'same-origin' };

test('a user lists the own sessions, and ends one, or all others', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  const [phone, desk, other] = [new PageReader(forge), new PageReader(forge), new PageReader(forge)];
  await phone.signIn(ada);
  await desk.signIn(ada, { remember: 'on' });
  await other.signIn(eve);

  const { body } = await desk.get(LIST);
  assert.deepEqual(
    body.map((one: Record<string, unknown>) => [one.is_current, one.is_remembered, one.proofs]),
    [
      [true, true, ['password']],
      [false, false, ['password']],
    ],
  );
  const [{ id: ofDesk }, { id: ofPhone }] = body;
  const [{ id: ofEve }] = (await other.get(LIST)).body;

  assert.equal((await ada.delete(`${LIST}/${ofEve}`)).status, 404);
  assert.equal((await ada.delete(`${LIST}/${ofPhone}`)).status, 204);
  assert.equal((await phone.get('/user/settings/sessions')).status, 303);
  await phone.signIn(ada);
  assert.equal((await desk.send('DELETE', LIST, { headers: OWN_SITE })).status, 204);
  assert.equal((await phone.get('/user/settings/sessions')).status, 303);
  assert.deepEqual(
    (await desk.get(LIST)).body.map((one: { id: number }) => one.id),
    [ofDesk],
  );
  assert.equal((await other.get('/user/settings/sessions')).status, 200);
});

test('a site administrator lists the sessions of a user and ends them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [one, two] = [new PageReader(forge), new PageReader(forge)];
  await one.signIn(ada);
  await two.signIn(ada);
  const path = '/api/v1/admin/users/ada/sessions';

  const { body } = await forge.root.get(path);
  assert.equal(body.length, 2);
  assert.equal((await forge.root.delete(`${path}/${body[0].id}`)).status, 204);
  assert.equal((await forge.root.delete(`${path}/${body[0].id}`)).status, 404);
  assert.equal((await forge.root.get(path)).body.length, 1);
  assert.equal((await forge.root.delete(path)).status, 204);

  for (const reader of [one, two]) assert.equal((await reader.get('/user/settings/sessions')).status, 303);
});

test('a new password ends all sessions', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  await forge.root.patch('/api/v1/admin/users/ada', { password: 'a better horse' });

  assert.equal((await reader.get('/user/settings/sessions')).status, 303);
  assert.deepEqual((await ada.get(LIST)).body, []);
});

test('a session ends when its browser is idle, and a while after the sign-in', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const isSignedIn = async (reader: PageReader) =>
    (await reader.get('/user/settings/sessions')).status === 200;

  const used = new PageReader(forge);
  const idle = new PageReader(forge);
  const remembered = new PageReader(forge);
  await used.signIn(ada);
  await idle.signIn(ada);
  await remembered.signIn(ada, { remember: 'on' });
  for (const _ of Array.from({ length: 6 })) {
    await ageSessions(forge, 11 * HOUR);
    assert.equal(await isSignedIn(used), true);
  }
  assert.equal(await isSignedIn(idle), false);
  await ageSessions(forge, 7 * HOUR);
  assert.equal(await isSignedIn(used), false);
  assert.equal(await isSignedIn(remembered), true);
  await ageSessions(forge, 31 * DAY);
  assert.equal(await isSignedIn(remembered), false);
});

test('changes of credentials need a recent proof, which the user repeats on a page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const create = (name: string) =>
    reader.send('POST', '/api/v1/users/ada/tokens', { json: { name }, headers: OWN_SITE });

  assert.equal((await create('at once')).status, 201);
  await ageSessions(forge, 16 * 60_000);
  const late = await create('later');
  assert.deepEqual(
    [late.status, late.body.message],
    [403, 'confirm first that it is you, with your password'],
  );
  const before = new Map(reader.cookies);
  assert.equal((await reader.post('/user/confirm', { password: 'wrong' })).status, 403);
  const confirmed = await reader.post('/user/confirm', { password: ada.password, redirect_to: '/ada' });
  assert.deepEqual([confirmed.status, confirmed.headers.get('location')], [303, '/ada']);

  assert.equal((await create('later')).status, 201);
  const stolen = new PageReader(forge);
  for (const [name, value] of before) stolen.cookies.set(name, value);
  assert.equal(
    (await stolen.get('/user/settings/sessions')).status,
    303,
    'the former secret is worth nothing',
  );
});

test('A13: an administrator who acts as another account needs a recent proof, too', async (t) => {
  const forge = await startForge(t);
  await forge.account('cy');
  const reader = new PageReader(forge);
  await reader.signIn(forge.root);
  await ageSessions(forge, 16 * 60_000);
  for (const [method, path, json] of [
    ['POST', '/api/v1/users/root/tokens', { name: 'planted' }],
    ['PATCH', '/api/v1/admin/users/cy', { password: 'a better horse' }],
  ] as const)
    for (const sudo of ['', '?sudo=root', '?sudo=cy']) {
      const { status } = await reader.send(method, `${path}${sudo}`, { json, headers: OWN_SITE });
      assert.equal(status, 403, `${method} ${path}${sudo}`);
    }
});

test('A5: a token sends no form of a page that changes credentials', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const forms = forge.forge.running.app.statedRoutes.filter(
    ({ method, url, action }) => method === 'POST' && action.needsProof === true && !url.startsWith('/api/'),
  );
  assert.ok(forms.length > 5, `${forms.length} forms`);
  for (const { url } of forms) {
    const path = url.replaceAll(/:\w+/g, '1');
    const sent = { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const { status, text } = await ada.send('POST', path, sent);
    assert.equal(status, 403, `${path}: ${text}`);
  }
});

test('F3: the cookie of a browser changes nothing over the API without a word of the browser', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const create = (headers: Record<string, string>) =>
    reader.send('POST', '/api/v1/user/repos', { json: { name: 'planted' }, headers });

  assert.equal((await create({})).status, 403);
  assert.equal((await create({ 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await create({ origin: 'https://evil.example' })).status, 403);
  assert.equal((await create({ origin: 'null' })).status, 403);
  assert.equal((await create({ origin: forge.url })).status, 201);
});

test('a cookie opens neither git nor the notes of apps', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('diary', { private: true });
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  assert.equal((await reader.get('/ada/diary.git/info/refs?service=git-upload-pack')).status, 401);
  assert.equal((await reader.get('/apps/notes/api/v1/notes')).status, 401);
  assert.equal((await reader.get('/api/v1/user')).status, 200);
});

test('an account has at most 100 sessions: the one that was used least recently ends', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const first = new PageReader(forge);
  await first.signIn(ada);

  for (const _ of Array.from({ length: 100 })) await new PageReader(forge).signIn(ada);

  assert.equal((await first.get('/user/settings/sessions')).status, 303);
  assert.equal((await ada.get(`${LIST}?limit=1`)).headers.get('x-total-count'), '100');
});

test('sign-ins and ends of sessions are events without a secret', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await reader.post('/user/logout', {});

  const events = await eventsOf(forge.forge.running.engines.database, 'session.');
  assert.deepEqual(
    events.map(({ kind, actor }) => [kind, actor]),
    [
      ['session.started', 'ada'],
      ['session.ended', 'ada'],
    ],
  );
  const secret = reader.cookies.get('quire_session') ?? 'no session';
  assert.ok(!JSON.stringify(events).includes(secret));
});
