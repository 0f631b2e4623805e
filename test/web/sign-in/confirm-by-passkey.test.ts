import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { codeOf, withCodes } from '../../support/forge/second-factor.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { Authenticator, askedIn, type Deviation } from '../../support/keys/authenticator.ts';

const ORIGIN = 'https://forge.example';
const ADD = '/user/settings/security/webauthn/register';
const CONFIRM = '/user/confirm';
const MINUTE = 60_000;

interface Signed {
  readonly reader: PageReader;
  readonly authenticator: Authenticator;
}

async function addPasskey(reader: PageReader): Promise<Signed> {
  const authenticator = new Authenticator(ORIGIN);
  const asked = askedIn((await reader.get(ADD)).text);
  const added = await reader.post(ADD, { name: 'Phone', ...authenticator.create(asked) });
  assert.equal(added.status, 200, added.text);
  return { reader, authenticator };
}

async function withPasskey(forge: TestForge, person: Person): Promise<Signed> {
  const reader = new PageReader(forge);
  await reader.signIn(person);
  return addPasskey(reader);
}

async function stage(t: TestContext) {
  const forge = await startForge(t, { baseUrl: ORIGIN });
  const ada = await forge.account('ada');
  return { forge, ada, ...(await withPasskey(forge, ada)) };
}

/** Sends the form of the page that confirms with an answer of the passkey. */
async function confirm(
  { reader, authenticator }: Signed,
  deviation: Deviation = {},
  fields: Readonly<Record<string, string>> = {},
): Promise<number> {
  const asked = askedIn((await reader.get(CONFIRM)).text);
  return (await reader.post(CONFIRM, { ...authenticator.get(asked, deviation), ...fields })).status;
}

/** Whether the browser may change credentials. */
async function mayChange({ reader }: Pick<Signed, 'reader'>): Promise<boolean> {
  return (await reader.get(ADD)).status === 200;
}

test('a passkey alone confirms who uses a browser, in place of the password', async (t) => {
  const { forge, ...ada } = await stage(t);
  await ageSessions(forge, 16 * MINUTE);
  assert.equal(await mayChange(ada), false);
  const page = await ada.reader.get(CONFIRM);
  assert.match(page.text, /or a passkey alone that asks for your PIN, finger or face/);
  assert.match(page.text, /name="password"[^>]* data-without-passkey/);

  assert.equal(await confirm(ada), 303);

  assert.equal(await mayChange(ada), true);
});

test('A16: a passkey that has not checked its user does not confirm alone', async (t) => {
  const { forge, ada: person, ...ada } = await stage(t);
  await ageSessions(forge, 16 * MINUTE);

  assert.equal(await confirm(ada, { isVerified: false }), 403);
  assert.equal(await confirm(ada, { isVerified: false }, { password: 'wrong' }), 403);
  assert.equal(await mayChange(ada), false);
  assert.equal(await confirm(ada, { isVerified: false }, { password: person.password }), 303);
  assert.equal(await mayChange(ada), true);
});

test('A8: an answer of a passkey confirms once, and only the account that it is of', async (t) => {
  const { forge, ...ada } = await stage(t);
  const eve = await withPasskey(forge, await forge.account('eve'));
  await ageSessions(forge, 16 * MINUTE);
  const ask = async ({ reader }: Signed) => askedIn((await reader.get(CONFIRM)).text);

  const ofEve = { ...ada, authenticator: eve.authenticator };
  assert.equal(await confirm(ofEve), 403, 'a passkey of another account');
  const challengeOfEve = ada.authenticator.get(await ask(eve));
  assert.equal(
    (await ada.reader.post(CONFIRM, challengeOfEve)).status,
    403,
    'a challenge of another account',
  );
  const toSignIn = askedIn((await new PageReader(forge).get('/user/login')).text);
  const signIn = ada.authenticator.get(toSignIn);
  assert.equal((await ada.reader.post(CONFIRM, signIn)).status, 403, 'a challenge to sign in');
  const confirming = ada.authenticator.get(await ask(ada));
  const elsewhere = await new PageReader(forge).post('/user/login', confirming);
  assert.equal(elsewhere.status, 403, 'a challenge to confirm signs no one in');
  for (const deviation of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }])
    assert.equal(await confirm(ada, deviation), 403, JSON.stringify(deviation));
  assert.equal(await mayChange(ada), false);

  const answer = ada.authenticator.get(await ask(ada));
  assert.equal((await ada.reader.post(CONFIRM, answer)).status, 303);
  assert.equal((await ada.reader.post(CONFIRM, answer)).status, 403, 'a second time');
});

test('an account with one-time codes and a passkey confirms with the passkey alone, and with no code alone', async (t) => {
  const forge = await startForge(t, { baseUrl: ORIGIN });
  const person = await forge.account('ada');
  const { reader, secret } = await withCodes(forge, person);
  const ada = await addPasskey(reader);
  await ageSessions(forge, 16 * MINUTE);

  assert.equal((await reader.post(CONFIRM, { password: '', code: codeOf(secret) })).status, 403);
  assert.equal((await reader.post(CONFIRM, { password: person.password })).status, 403);
  assert.equal((await reader.post(CONFIRM, {})).status, 403);
  assert.equal(await confirm(ada), 303);
});
