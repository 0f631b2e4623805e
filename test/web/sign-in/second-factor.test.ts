import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import {
  beginCodes,
  codeOf,
  forgetUsedCodes,
  recoveryCodesIn,
  withCodes,
  wrongCodeOf,
} from '../../support/forge/second-factor.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

const COOKIE = 'quire_session';
const SECURITY = '/user/settings/security';

/** Sends the password of a person, and returns the page for the second factor. */
async function sendPassword(
  forge: TestForge,
  { name, password }: { readonly name: string; readonly password: string },
  fields: Readonly<Record<string, string>> = {},
) {
  const reader = new PageReader(forge);
  const answer = await reader.post('/user/login', { user_name: name, password, ...fields });
  assert.deepEqual([answer.status, reader.cookies.has(COOKIE)], [200, false], answer.text);
  return { reader, pending: fieldIn(answer.text, 'pending'), text: answer.text };
}

test('a user sets up one-time codes, and then signs in with a password and a code', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const first = new PageReader(forge);
  await first.signIn(ada);
  assert.match((await first.get(SECURITY)).text, /Set up one-time codes/);

  const secret = await beginCodes(first);
  const page = await first.get(`${SECURITY}/two_factor/enroll`);
  assert.match(page.text, /otpauth:\/\/totp\/Quire%20127\.0\.0\.1:ada\?/);
  assert.match(page.text, /<svg [^>]*viewBox=/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  await new PageReader(forge).signIn(ada);
  assert.equal(
    (await first.post(`${SECURITY}/two_factor/enroll`, { code: wrongCodeOf(secret) })).status,
    422,
  );
  const done = await first.post(`${SECURITY}/two_factor/enroll`, { code: codeOf(secret) });
  assert.equal(recoveryCodesIn(done.text).length, 10);
  assert.equal(done.headers.get('cache-control'), 'no-store');
  await forgetUsedCodes(forge);

  const { reader, pending, text } = await sendPassword(forge, ada, { redirect_to: '/ada', remember: 'on' });
  assert.match(text, /autocomplete="one-time-code"/);
  const sent = { pending, code: codeOf(secret), redirect_to: '/ada' };
  const signedIn = await reader.post('/user/two_factor', sent);
  assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/ada']);
  const [session] = (await reader.get('/api/v1/user/sessions')).body;
  assert.deepEqual([session.proofs, session.is_remembered], [['password', 'code'], true]);
});

test('a wrong code signs no one in, and the page asks again', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  const { reader, pending } = await sendPassword(forge, ada);

  for (const code of [
    '',
    wrongCodeOf(secret),
    codeOf(secret, -300_000),
    'aaaa-aaaa-aaaa-aaaa',
    `${codeOf(secret)}0`,
  ]) {
    const wrong = await reader.post('/user/two_factor', { pending, code });
    assert.deepEqual([wrong.status, reader.cookies.has(COOKIE)], [403, false], code);
    assert.match(wrong.text, /role="alert">The code is wrong, or was used before\./);
    assert.equal(fieldIn(wrong.text, 'pending'), pending);
  }
  assert.equal((await reader.post('/user/two_factor', { pending, code: codeOf(secret) })).status, 303);
});

test('A8: a one-time code is accepted once, and no earlier one after it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  const code = codeOf(secret, 30_000);
  const { reader, pending } = await sendPassword(forge, ada);
  assert.equal((await reader.post('/user/two_factor', { pending, code })).status, 303);

  for (const used of [code, codeOf(secret)]) {
    const again = await sendPassword(forge, ada);
    const answer = await again.reader.post('/user/two_factor', { pending: again.pending, code: used });
    assert.equal(answer.status, 403);
    const confirm = await reader.post('/user/confirm', { password: ada.password, code: used });
    assert.equal(confirm.status, 403);
    const as = { name: 'ada', password: ada.password };
    const byHeader = await forge.get('/api/v1/user', { as, headers: { 'x-gitea-otp': used } });
    assert.equal(byHeader.status, 401);
  }
});

test('A8: of several sign-ins with one code at the same time, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret, recoveryCodes } = await withCodes(forge, ada);
  const codes = [codeOf(secret), recoveryCodes[0] ?? ''];
  for (const code of codes) {
    const attempts = await Promise.all(Array.from({ length: 4 }, () => sendPassword(forge, ada)));
    const answers = await Promise.all(
      attempts.map(({ reader, pending }) => reader.post('/user/two_factor', { pending, code })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 403, 403, 403]);
  }
});

test('A8: a pending sign-in is no credential', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await withCodes(forge, ada);
  const { pending } = await sendPassword(forge, ada);

  const planted = new PageReader(forge);
  planted.cookies.set(COOKIE, pending);
  assert.equal((await planted.get('/user/settings/sessions')).status, 303);
  assert.equal((await planted.get('/api/v1/user')).status, 401);
  for (const authorization of [`Bearer ${pending}`, `token ${pending}`])
    assert.equal((await forge.get('/api/v1/user', { headers: { authorization } })).status, 401);
  for (const as of [
    { name: 'ada', password: pending },
    { name: pending, password: '' },
    { name: pending, password: 'x-oauth-basic' },
  ])
    for (const path of [
      '/api/v1/user',
      '/ada/x.git/info/refs?service=git-upload-pack',
      '/apps/notes/api/v1/notes',
    ])
      assert.equal((await forge.get(path, { as })).status, 401, path);
});

test('A8: a pending sign-in ends with the password that it began with, and no one makes one up', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  const { reader, pending } = await sendPassword(forge, ada);

  for (const forged of ['', 'x', `${pending}x`, pending.replace(/^./, 'A'), `.${pending}`]) {
    const answer = await reader.post('/user/two_factor', { pending: forged, code: codeOf(secret) });
    assert.deepEqual([answer.status, reader.cookies.has(COOKIE)], [403, false]);
  }
  await forge.root.patch('/api/v1/admin/users/ada', { password: 'a better horse' });
  const late = await reader.post('/user/two_factor', { pending, code: codeOf(secret) });
  assert.deepEqual([late.status, /took too long: begin again/.test(late.text)], [403, true]);
});

test('each recovery code works once, and new ones replace all', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { reader: owner, recoveryCodes } = await withCodes(forge, ada);
  const [first = '', second = ''] = recoveryCodes;
  const use = async (code: string) => {
    const { reader, pending } = await sendPassword(forge, ada);
    return (await reader.post('/user/two_factor', { pending, code })).status;
  };

  assert.equal(await use(first.toUpperCase().replaceAll('-', ' ')), 303);
  assert.equal(await use(first), 403);
  const used = await forge.root.get('/api/v1/admin/audit?action=second-factor.recovery-code-used');
  assert.match(used.body.entries[0].address, /127\.0\.0\.1/);
  assert.match((await owner.get(SECURITY)).text, /You have 9 recovery codes left/);
  const renewed = recoveryCodesIn((await owner.post(`${SECURITY}/two_factor/regenerate_scratch`, {})).text);
  assert.equal(renewed.length, 10);
  assert.equal(await use(second), 403);
  assert.equal(await use(renewed[3] ?? ''), 303);
});

test('after many wrong codes, one-time codes are rejected for a while, but recovery codes are not', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const ada = await forge.account('ada');
  const { secret, recoveryCodes } = await withCodes(forge, ada);
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('one_time_codes').set({ tried_count: 20, tried_since: Date.now() }).execute(),
  );
  const { reader, pending } = await sendPassword(forge, ada);

  const rejected = await reader.post('/user/two_factor', { pending, code: codeOf(secret) });
  assert.deepEqual([rejected.status, reader.cookies.has(COOKIE)], [429, false]);
  const [recoveryCode = ''] = recoveryCodes;
  assert.equal((await reader.post('/user/two_factor', { pending, code: recoveryCode })).status, 303);
});

test('wrong codes of one account are counted over all sign-ins', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  const { reader, pending } = await sendPassword(forge, ada);
  for (const _ of [1, 2, 3]) await reader.post('/user/two_factor', { pending, code: wrongCodeOf(secret) });
  const counted = () =>
    forge.forge.running.engines.database.reader
      .selectFrom('one_time_codes')
      .select('tried_count')
      .executeTakeFirstOrThrow();

  assert.equal((await counted()).tried_count, 3);
  assert.equal((await reader.post('/user/two_factor', { pending, code: codeOf(secret) })).status, 303);
  assert.equal((await counted()).tried_count, 0);
});

test('a person who must change the password sends a code, too, and then chooses a new one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret } = await withCodes(forge, ada);
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: true });
  const { reader, pending, text } = await sendPassword(forge, ada, { new_password: 'a better horse' });
  assert.match(text, /name="new_password"/);
  const code = codeOf(secret);

  for (const bad of ['short', ada.password]) {
    const answer = await reader.post('/user/two_factor', { pending, code, new_password: bad });
    assert.deepEqual([answer.status, /name="new_password"/.test(answer.text)], [422, true]);
  }
  const sent = { pending, code, new_password: 'a better horse' };
  assert.equal((await reader.post('/user/two_factor', sent)).status, 303);
  assert.equal((await reader.get('/user/settings/sessions')).status, 200);
  assert.equal((await reader.post('/user/login', { user_name: 'ada', password: ada.password })).status, 403);
});

test('changes of credentials need a code, too, when the proof is old', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { reader, secret } = await withCodes(forge, ada);
  assert.match((await reader.get('/user/confirm')).text, /name="code"/);

  const { password } = ada;
  for (const code of ['', wrongCodeOf(secret)])
    assert.equal((await reader.post('/user/confirm', { password, code })).status, 403);
  assert.equal((await reader.post('/user/confirm', { password: 'wrong', code: codeOf(secret) })).status, 403);
  assert.equal((await reader.post('/user/confirm', { password, code: codeOf(secret) })).status, 303);
});

test('second factors change only with a recent proof, and by forms of this server', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { reader } = await withCodes(forge, ada);
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('sessions').set({ proved_at: 0 }).execute(),
  );
  const paths = ['begin', 'enroll', 'disable', 'regenerate_scratch'].map(
    (path) => `${SECURITY}/two_factor/${path}`,
  );
  for (const path of paths) {
    const answer = await reader.post(path, {});
    assert.match(answer.headers.get('location') ?? '', /^\/user\/confirm\?/, path);
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    assert.equal((await reader.post(path, {}, { headers })).status, 403);
  }
  assert.match((await reader.get(SECURITY)).text, /Turn one-time codes off/);
});

test('a user turns one-time codes off, and a site administrator removes them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const path = '/api/v1/admin/users/ada/second-factor';
  assert.equal((await forge.root.delete(path)).status, 404);
  const { reader } = await withCodes(forge, ada);
  assert.equal((await reader.post(`${SECURITY}/two_factor/disable`, {})).status, 303);
  await new PageReader(forge).signIn(ada);

  await withCodes(forge, ada);
  assert.equal((await ada.delete(path)).status, 403);
  assert.equal((await forge.root.delete(path)).status, 204);
  assert.equal((await forge.root.delete(path)).status, 404);
  await new PageReader(forge).signIn(ada);

  const events = await eventsOf(forge.forge.running.engines.database, 'second-factor.');
  assert.deepEqual(
    events.map(({ kind, actor }) => [kind, actor]),
    [
      ['second-factor.codes-set-up', 'ada'],
      ['second-factor.codes-removed', 'ada'],
      ['second-factor.codes-set-up', 'ada'],
      ['second-factor.reset', 'root'],
    ],
  );
});

test('no secret of a second factor is in the database as text', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { secret, recoveryCodes } = await withCodes(forge, ada);
  const { reader } = forge.forge.running.engines.database;
  const rows = JSON.stringify([
    await reader.selectFrom('one_time_codes').selectAll().execute(),
    await reader.selectFrom('recovery_codes').selectAll().execute(),
    await reader.selectFrom('events').selectAll().execute(),
  ]);

  assert.ok(!rows.includes(secret));
  for (const code of recoveryCodes)
    assert.ok(!rows.includes(code) && !rows.includes(code.replaceAll('-', '')));
});

test('site administrators list the users with a second factor, and those without one', async (t) => {
  const forge = await startForge(t);
  await withCodes(forge, await forge.account('ada'));
  await forge.account('ben');
  const logins = async (filter: boolean) =>
    (await forge.root.get(`/api/v1/admin/users?is_2fa_enabled=${filter}`)).body.map(
      ({ login }: { login: string }) => login,
    );

  assert.deepEqual(await logins(true), ['ada']);
  assert.deepEqual(await logins(false), ['ben', 'root']);
});
