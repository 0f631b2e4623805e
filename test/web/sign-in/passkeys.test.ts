import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { recoveryCodesIn } from '../../support/forge/second-factor.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';
import { Authenticator, askedIn, type Deviation } from '../../support/keys/authenticator.ts';

const COOKIE = '__Host-quire_session';
const ORIGIN = 'https://forge.example';
const SECURITY = '/user/settings/security';
const ADD = `${SECURITY}/webauthn/register`;

async function stage(t: TestContext) {
  const forge = await startForge(t, { baseUrl: ORIGIN });
  return { forge, ada: await forge.account('ada') };
}

/** Signs a person in, and adds a passkey on the pages. */
async function withPasskey(forge: TestForge, person: Person, name = 'Phone') {
  const reader = new PageReader(forge);
  await reader.signIn(person);
  const authenticator = new Authenticator(ORIGIN);
  const asked = askedIn((await reader.get(ADD)).text);
  const added = await reader.post(ADD, { name, ...authenticator.create(asked) });
  assert.equal(added.status, 200, added.text);
  return { reader, authenticator, recoveryCodes: recoveryCodesIn(added.text) };
}

async function sendPassword(forge: TestForge, { name, password }: Person) {
  const reader = new PageReader(forge);
  const page = await reader.post('/user/login', { user_name: name, password });
  assert.deepEqual([page.status, reader.cookies.has(COOKIE)], [200, false], page.text);
  return { reader, pending: fieldIn(page.text, 'pending'), asked: askedIn(page.text) };
}

async function openSignIn(forge: TestForge) {
  const reader = new PageReader(forge);
  return { reader, asked: askedIn((await reader.get('/user/login')).text) };
}

async function proofsOf(reader: PageReader): Promise<readonly string[]> {
  const { body } = await reader.get('/api/v1/user/sessions');
  return body.find((session: { is_current: boolean }) => session.is_current).proofs;
}

test('a user adds several passkeys with names, and removes them', async (t) => {
  const { forge, ada } = await stage(t);
  const { reader, recoveryCodes } = await withPasskey(forge, ada, 'Phone <1>');
  assert.equal(recoveryCodes.length, 10);
  const key = new Authenticator(ORIGIN);
  const asked = askedIn((await reader.get(ADD)).text);
  const second = await reader.post(ADD, { name: 'Security key', ...key.create(asked) });
  assert.deepEqual([second.status, recoveryCodesIn(second.text).length], [200, 0]);
  const { text } = await reader.get(SECURITY);
  assert.match(text, /Phone &lt;1&gt;[\s\S]*Security key/);

  const ids = [...text.matchAll(/name="id" value="(\d+)"/g)].map(([, id = '']) => id);
  const eve = new PageReader(forge);
  await eve.signIn(await forge.account('eve'));
  assert.equal((await eve.post(`${SECURITY}/webauthn/delete`, { id: ids[0] ?? '' })).status, 404);
  for (const id of ids) assert.equal((await reader.post(`${SECURITY}/webauthn/delete`, { id })).status, 303);
  await new PageReader(forge).signIn(ada);
  const events = await eventsOf(forge.forge.running.engines.database, 'second-factor.');
  assert.deepEqual(
    events.map(({ kind, name, actor }) => [kind, name, actor]),
    [
      ['second-factor.passkey-added', 'Phone <1>', 'ada'],
      ['second-factor.passkey-added', 'Security key', 'ada'],
      ['second-factor.passkey-removed', 'Phone <1>', 'ada'],
      ['second-factor.passkey-removed', 'Security key', 'ada'],
    ],
  );
});

test('a passkey is a second factor after the password', async (t) => {
  const { forge, ada } = await stage(t);
  const { authenticator } = await withPasskey(forge, ada);
  const { reader, pending, asked } = await sendPassword(forge, ada);
  assert.deepEqual(
    asked.options.allowCredentials?.map(({ id }) => id),
    [authenticator.id.toString('base64url')],
  );

  const sent = { pending, redirect_to: '/ada', ...authenticator.get(asked, { isVerified: false }) };
  const signedIn = await reader.post('/user/two_factor', sent);
  assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/ada']);
  assert.deepEqual(await proofsOf(reader), ['password', 'passkey']);
  const as = { name: 'ada', password: ada.password };
  assert.equal((await forge.get('/api/v1/user', { as })).status, 401);
});

test('a recovery code stands in for a passkey', async (t) => {
  const { forge, ada } = await stage(t);
  const { recoveryCodes } = await withPasskey(forge, ada);
  const { reader, pending } = await sendPassword(forge, ada);

  const sent = { pending, code: recoveryCodes[0] ?? '' };
  assert.equal((await reader.post('/user/two_factor', sent)).status, 303);
});

test('a passkey signs in alone if the authenticator has checked its user', async (t) => {
  const { forge, ada } = await stage(t);
  const { authenticator } = await withPasskey(forge, ada);
  const { reader, asked } = await openSignIn(forge);
  assert.deepEqual(asked.options.allowCredentials, []);

  const unchecked = await reader.post('/user/login', authenticator.get(asked, { isVerified: false }));
  assert.deepEqual([unchecked.status, reader.cookies.has(COOKIE)], [403, false]);
  const signedIn = await reader.post('/user/login', { redirect_to: '/ada', ...authenticator.get(asked) });
  assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/ada']);
  assert.deepEqual(await proofsOf(reader), ['passkey']);
});

test('a disabled account, and one that must change its password, does not sign in with a passkey', async (t) => {
  const { forge, ada } = await stage(t);
  const { authenticator } = await withPasskey(forge, ada);
  for (const edit of [{ prohibit_login: true }, { prohibit_login: false, must_change_password: true }]) {
    await forge.root.patch('/api/v1/admin/users/ada', edit);
    const { reader, asked } = await openSignIn(forge);
    const answer = await reader.post('/user/login', authenticator.get(asked));
    assert.deepEqual([answer.status, reader.cookies.has(COOKIE)], [403, false]);
  }
});

test('A8: an assertion is accepted once', async (t) => {
  const { forge, ada } = await stage(t);
  const { authenticator } = await withPasskey(forge, ada);
  const { reader, pending, asked } = await sendPassword(forge, ada);
  const used = authenticator.get(asked);
  assert.equal((await reader.post('/user/two_factor', { pending, ...used })).status, 303);
  for (const again of [used, authenticator.get(asked)])
    assert.equal((await new PageReader(forge).post('/user/two_factor', { pending, ...again })).status, 403);

  const alone = await openSignIn(forge);
  const assertion = authenticator.get(alone.asked);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => new PageReader(forge).post('/user/login', assertion)),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 403, 403, 403]);
});

test('an assertion is worth something only for the purpose, the account and the site of its challenge', async (t) => {
  const { forge, ada } = await stage(t);
  const eve = await forge.account('eve');
  const { authenticator, reader: owner } = await withPasskey(forge, ada);
  const { authenticator: ofEve } = await withPasskey(forge, eve);
  const { reader, pending, asked } = await sendPassword(forge, ada);
  const attempt = async (fields: Record<string, string>) =>
    (await reader.post('/user/two_factor', { pending, ...fields })).status;

  const deviations: readonly Deviation[] = [
    { origin: 'https://evil.example' },
    { origin: 'http://forge.example' },
    { origin: 'https://sub.forge.example' },
    { origin: 'https://forge.example:8443' },
    { rpId: 'evil.example' },
    { challenge: Buffer.alloc(32).toString('base64url') },
    { userHandle: Buffer.from('account 1').toString('base64url') },
    { type: 'webauthn.create' },
    { counter: 0 },
  ];
  await reader.post('/user/two_factor', { pending, ...authenticator.get(asked) });
  for (const deviation of deviations) {
    const fresh = await sendPassword(forge, ada);
    const sent = { pending: fresh.pending, ...authenticator.get(fresh.asked, deviation) };
    const answer = await fresh.reader.post('/user/two_factor', sent);
    assert.deepEqual(
      [answer.status, fresh.reader.cookies.has(COOKIE)],
      [403, false],
      JSON.stringify(deviation),
    );
  }
  assert.equal(
    await attempt(ofEve.get((await sendPassword(forge, ada)).asked)),
    403,
    'a passkey of another user',
  );
  const other = await sendPassword(forge, eve);
  assert.equal(await attempt(ofEve.get(other.asked)), 403, 'a challenge of another user');
  const confirming = askedIn((await owner.get('/user/confirm')).text);
  assert.equal(await attempt(authenticator.get(confirming)), 403, 'a challenge to confirm');
  const alone = await openSignIn(forge);
  assert.equal(await attempt(authenticator.get(alone.asked)), 403, 'a challenge to sign in alone');
  const second = await sendPassword(forge, ada);
  const asAlone = await alone.reader.post('/user/login', authenticator.get(second.asked));
  assert.equal(asAlone.status, 403, 'a challenge for a second factor');
  for (const passkey of ['x', 'null', '{}', '[]', '{"id":1}', JSON.stringify({ id: 'x', response: {} })])
    assert.equal(await attempt({ passkey_challenge: asked.challenge, passkey }), 403, passkey);
});

test('an account confirms with its password and a passkey', async (t) => {
  const { forge, ada } = await stage(t);
  const { reader, authenticator } = await withPasskey(forge, ada);
  const confirm = async (password: string) => {
    const asked = askedIn((await reader.get('/user/confirm')).text);
    return (await reader.post('/user/confirm', { password, ...authenticator.get(asked) })).status;
  };

  assert.equal(await confirm('wrong'), 403);
  assert.equal(await confirm(ada.password), 303);
});

test('a passkey that was made at another site, for another user, or before, is not added', async (t) => {
  const { forge, ada } = await stage(t);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const ask = async () => askedIn((await reader.get(ADD)).text);
  const add = async (fields: Record<string, string>, name = 'Phone') =>
    (await reader.post(ADD, { name, ...fields })).status;
  const authenticator = new Authenticator(ORIGIN);

  for (const deviation of [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { type: 'webauthn.get' },
  ])
    assert.equal(await add(authenticator.create(await ask(), deviation)), 403);
  for (const name of ['', 'x'.repeat(101), 'a\u0000b'])
    assert.equal(await add(authenticator.create(await ask()), name), 422);
  assert.equal(await add({}), 403);
  const eve = new PageReader(forge);
  await eve.signIn(await forge.account('eve'));
  assert.equal(await add(authenticator.create(askedIn((await eve.get(ADD)).text))), 403);
  const created = authenticator.create(await ask());
  assert.equal(await add(created), 200);
  assert.equal(await add(created), 403, 'the same answer');
  assert.equal(await add(authenticator.create(await ask())), 422, 'the same passkey');
});

test('a page with passkeys loads one script of this server, which browsers store for good', async (t) => {
  const { forge } = await stage(t);
  const { text, headers } = await new PageReader(forge).get('/user/login');
  const [, path = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(text) ?? [];

  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; script-src 'self'; connect-src 'self'; style/,
  );
  const script = await forge.get(path);
  assert.equal(script.status, 200);
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
  assert.equal((await forge.get('/assets/passkeys-0.js')).status, 404);
});

test('a server that browsers reach by an IP address or without TLS has no passkeys', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  const { text, headers } = await reader.get('/user/login');
  assert.doesNotMatch(text, /data-passkey|<script/);
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /script-src/);
  await reader.signIn(ada);
  assert.equal((await reader.get(ADD)).status, 422);
});
