import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';
import {
  begin,
  providerSettings,
  signInAt,
  startBoth,
  startForgeWith,
  startProvider,
} from './test-provider.ts';

const LINK = '/user/link_account';
const LINKED = '/user/settings/linked-accounts';
const ADA = { sub: 'ada-1', preferred_username: 'ada', name: 'Ada Lovelace', email: 'ada@corp.example' };
const VERIFIED = { ...ADA, email_verified: true };

/** Returns the name of the user who uses a browser; undefined if none has signed in. */
async function whoUses(reader: PageReader): Promise<string | undefined> {
  return (await reader.get('/api/v1/user')).body?.login;
}

test('a new user signs in at a provider and gets an account with the verified e-mail address', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  const reader = new PageReader(forge);

  const page = await reader.get('/user/login?redirect_to=/ada');
  assert.match(
    page.text,
    /<a class="button" href="[^"]*\/user\/oauth2\/corp\?redirect_to=%2Fada">Sign in with The Corp/,
  );
  const answer = await signInAt(provider, reader, VERIFIED, '/user/oauth2/corp?redirect_to=/ada');

  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/ada'], answer.text);
  const { body } = await reader.get('/api/v1/user');
  assert.deepEqual([body.login, body.full_name, body.email], ['ada', 'Ada Lovelace', 'ada@corp.example']);
  const [session] = (await reader.get('/api/v1/user/sessions')).body;
  assert.deepEqual(session.proofs, ['external']);
  const events = await eventsOf(forge.forge.running.engines.database, 'account.identity');
  assert.deepEqual(
    events.map(({ kind, actor }) => [kind, actor]),
    [['account.identity-linked', 'ada']],
  );
  const { body: entries } = await forge.root.get('/api/v1/admin/audit');
  const kinds = entries.entries.map((entry: { action: string }) => entry.action);
  for (const kind of ['account.created', 'account.identity-linked', 'session.started'])
    assert.ok(kinds.includes(kind), `${kind} in ${kinds}`);
});

test('the same subject is the same account later, whatever else the provider says', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  await signInAt(provider, new PageReader(forge), VERIFIED);
  const reader = new PageReader(forge);

  await signInAt(provider, reader, { sub: 'ada-1', preferred_username: 'root', email: 'x@corp.example' });

  assert.equal(await whoUses(reader), 'ada');
});

test('an e-mail address that the provider has not verified is not taken', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  for (const [index, email_verified] of [undefined, false, 'true'].entries()) {
    const reader = new PageReader(forge);
    await signInAt(provider, reader, { ...ADA, sub: `unverified-${index}`, email_verified });
    assert.equal((await reader.get('/api/v1/user')).body.email.includes('corp.example'), false);
  }
});

test('A16: the same e-mail address as an account is no proof: its owner signs in to link it', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  const ada = await forge.account('ada', { email: 'ada@corp.example' });
  const reader = new PageReader(forge);

  const answer = await signInAt(provider, reader, VERIFIED);
  assert.equal(answer.headers.get('location'), LINK);
  assert.equal(await whoUses(reader), undefined);

  const page = await reader.get(LINK);
  assert.match(page.text, /Sign in to link/);
  await reader.signIn(ada);
  assert.match((await reader.get(LINK)).text, /Link with ada/);
  assert.equal((await reader.post(LINKED, { what: 'link' })).status, 303);
  assert.match((await reader.get(LINKED)).text, /The Corp/);
  const other = new PageReader(forge);
  await signInAt(provider, other, VERIFIED);
  assert.equal(await whoUses(other), 'ada');
});

test('a user links by the verified e-mail address only where the operator wants it', async (t) => {
  const { provider, forge } = await startBoth(t, { linkByEmail: true });
  await forge.account('ada', { email: 'ada@corp.example' });
  const [unverified, verified] = [new PageReader(forge), new PageReader(forge)];

  await signInAt(provider, unverified, ADA);
  await signInAt(provider, verified, VERIFIED);

  assert.equal(await whoUses(unverified), undefined);
  assert.equal(await whoUses(verified), 'ada');
});

test('an e-mail address that the provider has given to another user links nothing', async (t) => {
  const { provider, forge } = await startBoth(t, { linkByEmail: true });
  await forge.account('ada', { email: 'ada@corp.example' });
  await signInAt(provider, new PageReader(forge), VERIFIED);
  const reader = new PageReader(forge);

  const answer = await signInAt(provider, reader, { ...VERIFIED, sub: 'her successor' });

  assert.equal(answer.headers.get('location'), LINK);
  assert.equal(await whoUses(reader), undefined);
});

test('without accounts for newcomers, only an existing account can be linked', async (t) => {
  const { provider, forge } = await startBoth(t);
  const reader = new PageReader(forge);
  assert.equal((await signInAt(provider, reader, VERIFIED)).headers.get('location'), LINK);

  assert.doesNotMatch((await reader.get(LINK)).text, /Create account/);
  const created = await reader.post(LINK, { user_name: 'ada' });

  assert.equal(created.status, 403);
  assert.equal((await forge.get('/api/v1/users/ada')).status, 404);
});

test('a newcomer chooses a name, and an unusable one is refused', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'ask' });
  const reader = new PageReader(forge);
  await signInAt(provider, reader, VERIFIED, '/user/oauth2/corp?redirect_to=/ada');
  assert.equal(fieldIn((await reader.get(LINK)).text, 'user_name'), 'ada');

  for (const name of ['', 'root', 'admin', 'a b', 'x'.repeat(41)]) {
    const refused = await reader.post(LINK, { user_name: name });
    assert.equal(refused.status, 422, name);
    assert.match(refused.text, /role="alert"/);
  }
  const created = await reader.post(LINK, { user_name: 'countess' });

  assert.equal(created.headers.get('location'), '/ada');
  assert.equal(await whoUses(reader), 'countess');
  assert.equal((await reader.post(LINK, { user_name: 'again' })).status, 410);
});

test('names that are taken or reserved get a number, or the user chooses one', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  await forge.account('ada');
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  await forge.account('moved');
  await forge.root.post('/api/v1/admin/users/moved/rename', { new_username: 'elsewhere' });
  const names = [
    ['ada', 'ada-2'],
    ['ADA', 'ADA-3'],
    ['guild', 'guild-2'],
    ['moved', 'moved-2'],
    ['Adéle Ünal', 'Adele-Unal'],
    ['bob@corp.example', 'bob'],
    ['..bad__name..', 'bad_name'],
    ['x'.repeat(60), 'x'.repeat(40)],
  ];
  for (const [sent, expected] of names) {
    const reader = new PageReader(forge);
    await signInAt(provider, reader, { sub: `sub ${sent}`, preferred_username: sent });
    assert.equal(await whoUses(reader), expected, sent);
  }
  for (const sent of ['admin', 'api', '用户', '', 17, undefined, 'x.keys']) {
    const reader = new PageReader(forge);
    const answer = await signInAt(provider, reader, { sub: `reserved ${sent}`, preferred_username: sent });
    assert.equal(answer.headers.get('location'), LINK, String(sent));
  }
});

test('a disabled account stays out, and so does one that must change its password', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  await signInAt(provider, new PageReader(forge), VERIFIED);
  const changes = [
    { active: false },
    { active: true, prohibit_login: true },
    { prohibit_login: false, must_change_password: true },
  ];
  for (const change of changes) {
    assert.equal((await forge.root.patch('/api/v1/admin/users/ada', change)).status, 200);
    const reader = new PageReader(forge);
    const answer = await signInAt(provider, reader, VERIFIED);
    assert.equal(answer.status, 403);
    assert.equal(await whoUses(reader), undefined);
  }
});

test('a user removes a linked account, but not the last way to sign in', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  const reader = new PageReader(forge);
  await signInAt(provider, reader, VERIFIED);
  const id = fieldIn((await reader.get(LINKED)).text, 'id');

  const refused = await reader.post(LINKED, { id });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /You could not sign in any more/);

  await forge.root.patch('/api/v1/admin/users/ada', { password: 'a better horse' });
  await reader.signIn({ name: 'ada', password: 'a better horse' });
  assert.equal((await reader.post(LINKED, { id })).status, 303);
  assert.match((await reader.get(LINKED)).text, /no account of another server/);
  const events = await eventsOf(forge.forge.running.engines.database, 'account.identity');
  assert.equal(events.at(-1)?.kind, 'account.identity-unlinked');
});

test("no one removes another's linked account", async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  const ada = new PageReader(forge);
  await signInAt(provider, ada, VERIFIED);
  await forge.root.patch('/api/v1/admin/users/ada', { password: 'a better horse' });
  await signInAt(provider, ada, VERIFIED);
  const id = fieldIn((await ada.get(LINKED)).text, 'id');
  const eve = await forge.account('eve');
  const reader = new PageReader(forge);
  await reader.signIn(eve);

  await reader.post(LINKED, { id });

  assert.match((await ada.get(LINKED)).text, /The Corp/);
});

test('A16: a page of another site links nothing, and a token links and removes nothing', async (t) => {
  const { provider, forge } = await startBoth(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await signInAt(provider, reader, { sub: 'of the attacker' });

  const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } };
  assert.equal((await reader.post(LINKED, { what: 'link' }, crossSite)).status, 403);
  const authorization = `token ${ada.token}`;
  assert.equal((await reader.post(LINKED, { what: 'link' }, { headers: { authorization } })).status, 403);

  assert.match((await reader.get(LINKED)).text, /no account of another server/);
});

test('a user who has signed in confirms at the provider, which must ask again', async (t) => {
  const { provider, forge } = await startBoth(t, { createAccounts: 'automatic' });
  const reader = new PageReader(forge);
  await signInAt(provider, reader, VERIFIED);
  const [{ id: first }] = (await reader.get('/api/v1/user/sessions')).body;

  const asked = new URL(await begin(reader)).searchParams;
  assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '0']);
  const silent = await signInAt(provider, reader, { ...VERIFIED, auth_time: undefined });
  assert.equal(silent.status, 403);
  assert.match(silent.text, /did not say when/);
  const old = Math.floor(Date.now() / 1000) - 3600;
  const stale = await signInAt(provider, reader, { ...VERIFIED, auth_time: old });
  assert.equal(stale.status, 403);
  assert.match(stale.text, /did not ask you again/);
  const fresh = await signInAt(provider, reader, { ...VERIFIED, auth_time: old + 3600 });

  assert.equal(fresh.status, 303);
  const sessions = (await reader.get('/api/v1/user/sessions')).body;
  assert.deepEqual(
    sessions.map((one: { id: number; is_current: boolean }) => [one.id, one.is_current]),
    [[first, true]],
  );
});

test('users sign in at each of several providers, and an account can have several', async (t) => {
  const [one, two] = [await startProvider(t), await startProvider(t)];
  const forge = await startForgeWith(t, [
    providerSettings(one, { createAccounts: 'automatic' }),
    providerSettings(two, { name: 'club', displayName: 'The Club' }),
  ]);
  const reader = new PageReader(forge);
  await signInAt(one, reader, VERIFIED);

  await signInAt(two, reader, { sub: 'ada-1' }, '/user/oauth2/club');
  assert.equal((await reader.post(LINKED, { what: 'link' })).status, 303);

  const other = new PageReader(forge);
  await signInAt(two, other, { sub: 'ada-1' }, '/user/oauth2/club');
  assert.equal(await whoUses(other), 'ada');
  assert.equal((await reader.get('/user/oauth2/none')).status, 404);
});

test('the client proves itself as the provider wants, and a public one does not', async (t) => {
  const cases = [
    { description: {}, settings: {}, expected: 'basic' },
    {
      description: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      settings: {},
      expected: 'post',
    },
    { description: {}, settings: { clientId: 'public', clientSecret: undefined }, expected: 'none' },
  ];
  for (const { description, settings, expected } of cases) {
    const provider = await startProvider(t);
    provider.faults = { description };
    const forge = await startForgeWith(t, [
      providerSettings(provider, { createAccounts: 'automatic', ...settings }),
    ]);
    const reader = new PageReader(forge);
    await signInAt(provider, reader, VERIFIED);
    assert.equal(await whoUses(reader), 'ada', expected);
    assert.deepEqual(provider.authenticated, [expected]);
  }
});

test('a user in none of the required groups does not sign in', async (t) => {
  const { provider, forge } = await startBoth(t, {
    createAccounts: 'automatic',
    requiredGroups: ['staff', 'guests'],
  });
  for (const groups of [undefined, [], ['other'], 'others']) {
    const answer = await signInAt(provider, new PageReader(forge), { ...VERIFIED, groups });
    assert.equal(answer.status, 403);
  }
  assert.equal((await forge.get('/api/v1/users/ada')).status, 404);
  for (const groups of [['guests'], 'staff']) {
    const answer = await signInAt(provider, new PageReader(forge), { ...VERIFIED, groups });
    assert.equal(answer.status, 303);
  }
});

async function adminOf(t: TestContext) {
  const both = await startBoth(t, { createAccounts: 'automatic', adminGroup: 'admins' });
  const isAdmin = async (name: string) => (await both.forge.root.get(`/api/v1/users/${name}`)).body.is_admin;
  return { ...both, isAdmin };
}

test('the group of administrators decides at each sign-in, and the last administrator remains', async (t) => {
  const { provider, forge, isAdmin } = await adminOf(t);
  const reader = new PageReader(forge);

  await signInAt(provider, reader, { ...VERIFIED, groups: ['admins'] });
  assert.equal(await isAdmin('ada'), true);
  await signInAt(provider, reader, { ...VERIFIED, groups: [] });
  assert.equal(await isAdmin('ada'), false);

  await signInAt(provider, reader, { ...VERIFIED, groups: ['admins'] });
  const token = (
    await forge.forge.running.services.tokens.createFor(
      await forge.forge.running.services.accounts.get((await reader.get('/api/v1/user')).body.id),
      { name: 'admin', scopes: ['all'] },
    )
  ).token;
  await forge.send('PATCH', '/api/v1/admin/users/root', { as: { token }, json: { admin: false } });
  await signInAt(provider, reader, { ...VERIFIED, groups: [] });
  assert.equal((await forge.send('GET', '/api/v1/users/ada', { as: { token } })).body.is_admin, true);
});
