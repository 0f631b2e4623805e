import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { beginCodes, codeOf } from '../../support/forge/second-factor.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { Authenticator, askedIn } from '../../support/keys/authenticator.ts';
import { startMailbox } from '../../tracker/mail/mailbox.ts';
import { providerSettings, signInAt, startForgeWith, startProvider } from '../external/test-provider.ts';

const ORIGIN = 'https://forge.example';
const FORM = '/user/settings/account/emails';
const ADD = '/user/settings/security/webauthn/register';
const LINKED = '/user/settings/linked-accounts';

/** A forge with an account, whose primary address its browser can change. */
async function stage(t: TestContext) {
  const [mailbox, provider] = [await startMailbox(t), await startProvider(t)];
  const settings = { mail: mailbox.address };
  const forge = await startForgeWith(t, [providerSettings(provider)], { baseUrl: ORIGIN, settings });
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const mail = async () => {
    await forge.forge.running.services.jobs.runDue();
    return mailbox.take();
  };
  /** @returns the path of the link that the former address gets */
  const moveAway = async () => {
    await reader.post(FORM, { change: 'add', email: 'thief@example.org' });
    await forge.root.post('/api/v1/admin/users/ada/emails/verify', { email: 'thief@example.org' });
    await mail();
    assert.equal((await reader.post(FORM, { change: 'primary', email: 'thief@example.org' })).status, 303);
    const [sent] = await mail();
    const [path] = /\/user\/undo_email\/\S+/.exec(sent?.text ?? '') ?? assert.fail('no link');
    return path;
  };
  const addPasskey = async (name: string) => {
    const authenticator = new Authenticator(ORIGIN);
    const asked = askedIn((await reader.get(ADD)).text);
    assert.equal((await reader.post(ADD, { name, ...authenticator.create(asked) })).status, 200);
    return authenticator;
  };
  const link = async (sub: string) => {
    await signInAt(provider, reader, { sub });
    assert.equal((await reader.post(LINKED, { what: 'link' })).status, 303);
  };
  const takeBack = async (path: string) => {
    assert.equal((await new PageReader(forge).post(path, {})).status, 200);
    assert.equal((await forge.root.patch('/api/v1/admin/users/ada', { password: ada.password })).status, 200);
  };
  /** Sends the answer of a passkey in place of a password. @returns the status */
  const useAlone = async (authenticator: Authenticator) => {
    const browser = new PageReader(forge);
    const asked = askedIn((await browser.get('/user/login')).text);
    return (await browser.post('/user/login', authenticator.get(asked))).status;
  };
  return { forge, provider, ada, reader, moveAway, addPasskey, link, takeBack, useAlone };
}

test('A10: who takes an account back has none of the ways in that the thief has added', async (t) => {
  const { forge, provider, ada, reader, moveAway, addPasskey, link, takeBack, useAlone } = await stage(t);
  const path = await moveAway();
  const stolen = await addPasskey('Stolen');
  const secret = await beginCodes(reader);
  const enrolled = await reader.post('/user/settings/security/two_factor/enroll', { code: codeOf(secret) });
  assert.equal(enrolled.status, 200);
  await link('of the thief');

  await takeBack(path);

  assert.equal(await useAlone(stolen), 403);
  await new PageReader(forge).signIn(ada);
  const thief = new PageReader(forge);
  await signInAt(provider, thief, { sub: 'of the thief' });
  assert.equal((await thief.get('/api/v1/user')).status, 401);
  const events = await eventsOf(forge.forge.running.engines.database, '');
  const kinds = events.map(({ kind }) => kind);
  for (const kind of ['passkey-removed', 'codes-removed'])
    assert.ok(kinds.includes(`second-factor.${kind}`), kind);
  assert.ok(kinds.includes('account.identity-unlinked'));
});

test('A10: a stolen former mailbox removes no way in that is older than the change of the address', async (t) => {
  const { forge, provider, ada, moveAway, addPasskey, link, takeBack, useAlone } = await stage(t);
  const own = await addPasskey('Own');
  await link('of ada');

  await takeBack(await moveAway());

  assert.equal(await useAlone(own), 303);
  await assert.rejects(new PageReader(forge).signIn(ada), 'the second factor is asked');
  const browser = new PageReader(forge);
  assert.equal((await signInAt(provider, browser, { sub: 'of ada' })).status < 400, true);
});
