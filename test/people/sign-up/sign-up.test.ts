import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_LIMITS } from '../../../src/people/account-links/limits.ts';
import { maySignUp, signUpAddress } from '../../../src/people/sign-up/rules.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { ageLinks, pathIn, startAccounts } from '../account-links/accounts-by-mail.ts';

const SIGN_UP = '/user/sign_up';
const PASSWORD = 'correct horse battery';
const BEN = { user_name: 'ben', email: 'ben@example.org', password: PASSWORD };

test('A14: sign-up is closed on a new server, and so are invitations', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  assert.doesNotMatch((await reader.get('/user/login')).text, /Create an account/);
  for (const answer of [await reader.get(SIGN_UP), await reader.post(SIGN_UP, BEN)]) {
    assert.equal(answer.status, 403);
    assert.match(answer.text, /Sign-up is closed/);
  }
  assert.equal((await forge.root.post('/api/v1/admin/invitations', { email: 'a@example.org' })).status, 403);
  assert.equal((await forge.get('/api/v1/users/ben')).status, 404);
  assert.equal((await forge.get('/api/v1/nodeinfo')).body.openRegistrations, false);
});

test('a person signs up, and has the account after opening the link', async (t) => {
  const { forge, mails } = await startAccounts(t, { signUp: 'open' });
  const reader = new PageReader(forge);
  assert.match((await reader.get('/user/login')).text, /Create an account/);
  assert.equal((await forge.get('/api/v1/nodeinfo')).body.openRegistrations, true);
  assert.equal((await reader.get(SIGN_UP)).status, 200);
  const sent = await reader.post(SIGN_UP, BEN);
  assert.equal(sent.status, 200, sent.text);
  assert.equal((await forge.get('/api/v1/users/ben')).status, 404);
  await assert.rejects(reader.signIn({ name: 'ben', password: PASSWORD }));

  const [mail] = await mails();
  assert.match(mail?.subject ?? '', /^Confirm your account at /);
  const path = pathIn(mail ?? assert.fail('no mail'), forge);
  assert.equal((await forge.get(path)).status, 200);
  assert.equal((await forge.get('/api/v1/users/ben')).status, 404, 'a GET changes nothing');
  const done = await reader.post(path, { user_name: 'ben' });
  assert.equal(done.status, 200, done.text);
  assert.equal(reader.cookies.has('quire_session'), false, 'the link signs no user in');
  await reader.signIn({ name: 'ben', password: PASSWORD });
  const { body } = await forge.root.get('/api/v1/admin/users/ben/emails');
  assert.deepEqual([body[0].email, body[0].primary, body[0].verified], ['ben@example.org', true, true]);
  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'account.created'), [
    ...(await eventsOf(forge.forge.running.engines.database, 'account.created')).slice(0, -1),
    { kind: 'account.created', actor: null, name: 'ben' },
  ]);
});

test('A1: signing up answers the same for an address that has an account, whose owner gets a mail', async (t) => {
  const { forge, mails } = await startAccounts(t, { signUp: 'open' });
  await forge.account('ada');
  const answers = [];
  for (const [name, email] of [
    ['ben', 'ben@example.org'],
    ['eve', 'ADA@example.org'],
  ] as const) {
    const { status, text, headers } = await new PageReader(forge).post(SIGN_UP, {
      user_name: name,
      email,
      password: PASSWORD,
    });
    const names = [...headers].filter(([key]) => key !== 'date' && key !== 'x-request-id');
    answers.push(JSON.stringify([status, text.replaceAll(email, 'ADDRESS'), names]));
  }
  assert.equal(answers[0], answers[1]);
  const sent = await mails();
  assert.deepEqual(sent.map(({ subject = '' }) => subject.replace(/ at .*/, '')).toSorted(), [
    'Confirm your account',
    'You already have an account',
  ]);
  const taken = sent.find(({ subject }) => subject?.startsWith('You already'));
  assert.doesNotMatch(taken?.text ?? '', /\/user\/activate\//);
});

test('A10: a sign-up link works once and for a day, and only one of several sign-ups gets the address', async (t) => {
  const { forge, link, mails } = await startAccounts(t, { signUp: 'open' });
  const reader = new PageReader(forge);
  await reader.post(SIGN_UP, BEN);
  const old = await link();
  await ageLinks(forge, LINK_LIMITS.signUpMs);
  assert.equal((await reader.post(old, { user_name: 'ben' })).status, 404);
  for (const name of ['ben', 'bea', 'bob']) await reader.post(SIGN_UP, { ...BEN, user_name: name });
  const paths = (await mails()).map((mail) => pathIn(mail, forge));
  assert.equal(paths.length, 3);
  const answers = await Promise.all(
    paths.map((path, index) => reader.post(path, { user_name: `name${index}` })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const path of paths) assert.equal((await reader.get(path)).status, 404);
});

test('a name that is taken meanwhile is replaced on the page of the link', async (t) => {
  const { forge, link } = await startAccounts(t, { signUp: 'open' });
  const reader = new PageReader(forge);
  await reader.post(SIGN_UP, BEN);
  const path = await link();
  await forge.account('ben', { email: 'other@example.org' });
  const taken = await reader.post(path, { user_name: 'ben' });
  assert.equal(taken.status, 422);
  assert.match(taken.text, /This name is taken/);
  assert.equal((await reader.post(path, { user_name: 'benjamin' })).status, 200);
  await reader.signIn({ name: 'benjamin', password: PASSWORD });
});

test('what cannot be used is named beside the form, and sends no mail', async (t) => {
  const { forge, mails } = await startAccounts(t, { signUp: 'open' });
  await forge.account('ada');
  for (const [fields, why] of [
    [{ user_name: '' }, /A name has at most 40 letters/],
    [{ user_name: 'a b' }, /A name has at most 40 letters/],
    [{ user_name: 'x'.repeat(41) }, /A name has at most 40 letters/],
    [{ user_name: 'admin' }, /This name is reserved/],
    [{ user_name: 'Ghost' }, /This name is reserved/],
    [{ user_name: 'ben.keys' }, /This name is reserved/],
    [{ user_name: 'ADA' }, /This name is taken/],
    [{ email: '' }, /Type an e-mail address/],
    [{ email: 'ben' }, /Type an e-mail address/],
    [{ email: 'ben@example.org.' }, /Type an e-mail address/],
    [{ email: 'ben@example.org,eve@example.org' }, /Type an e-mail address/],
    [{ email: 'ben@example.org\r\nBcc: eve@example.org' }, /Type an e-mail address/],
    [{ password: 'short' }, /A password must have 8 to 1024 characters/],
    [{ password: 'password123' }, /one of the most common/],
  ] as const) {
    const answer = await new PageReader(forge).post(SIGN_UP, { ...BEN, ...fields });
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.match(answer.text, why);
  }
  assert.equal((await mails()).length, 0);
});

test('without mail, an account waits for an administrator', async (t) => {
  const forge = await startForge(t, { settings: { signUp: 'open' } });
  await forge.account('ada');
  const reader = new PageReader(forge);
  const free = await reader.post(SIGN_UP, BEN);
  assert.equal(free.status, 200);
  const taken = await reader.post(SIGN_UP, { ...BEN, user_name: 'eve', email: 'ada@example.org' });
  assert.equal(taken.text, free.text);
  assert.equal((await forge.root.get('/api/v1/users/eve')).status, 404);
  assert.equal(
    (await forge.send('GET', '/api/v1/user', { as: { name: 'ben', password: PASSWORD } })).status,
    403,
  );
  const emails = '/api/v1/admin/users/ben/emails';
  assert.equal((await forge.root.get(emails)).body[0].verified, false);
  const activated = await forge.root.patch('/api/v1/admin/users/ben', { active: true });
  assert.equal(activated.status, 200, activated.text);
  await reader.signIn({ name: 'ben', password: PASSWORD });
  assert.equal((await forge.root.get(emails)).body[0].verified, true);
});

test('only addresses at the domains of the setting sign up', async (t) => {
  const { forge, mails } = await startAccounts(t, {
    signUp: 'domain',
    signUpDomains: 'Example.ORG,*.sub.example,bücher.example',
  });
  const allowed = [
    'a@example.org',
    'a@EXAMPLE.org',
    'a@x.sub.example',
    'a@bücher.example',
    'a@xn--bcher-kva.example',
  ];
  const denied = [
    'a@evil.org',
    'a@x.example.org',
    'a@sub.example',
    'a@notexample.org',
    'a@example.org.evil.org',
    'a@example.org@evil.org',
  ];
  for (const [index, email] of [...allowed, ...denied].entries()) {
    const answer = await new PageReader(forge).post(SIGN_UP, { ...BEN, user_name: `name${index}`, email });
    const expected = index < allowed.length ? [200] : [403, 422];
    assert.ok(expected.includes(answer.status), `${email}: ${answer.status}`);
  }
  assert.deepEqual(
    (await mails()).flatMap(({ to = [] }) => to.map(({ address = '' }) => address)).toSorted(),
    [
      'a@example.org',
      'a@example.org',
      'a@x.sub.example',
      'a@xn--bcher-kva.example',
      'a@xn--bcher-kva.example',
    ],
  );
});

test('the owner of an address at an international domain signs in with each spelling, and recovers the account', async (t) => {
  const { forge, link } = await startAccounts(t, { signUp: 'open' });
  const reader = new PageReader(forge);
  await reader.post(SIGN_UP, { ...BEN, email: 'ben@BÜCHER.example' });
  assert.equal((await reader.post(await link(), { user_name: 'ben' })).status, 200);
  for (const name of ['ben@bücher.example', 'ben@xn--bcher-kva.example'])
    await new PageReader(forge).signIn({ name, password: PASSWORD });
  await reader.post('/user/forgot_password', { email: 'ben@bücher.example' });
  assert.match(await link(), /recover_account/);
});

test('the domain of an address has one spelling', () => {
  const settings = { mode: 'domain', domains: ['example.org'] } as const;
  for (const email of ['a@example.org', 'a@EXAMPLE.ORG', 'a@ｅxample.org', 'a@example。org'])
    assert.equal(maySignUp(signUpAddress(email), settings), true, email);
  for (const email of [
    'a@example.org.',
    '@example.org',
    'a@',
    'a',
    'a@b/example.org',
    'a@b?.example.org',
    'a@example.org#b',
  ])
    assert.throws(() => signUpAddress(email), email);
});

test('F1: a page of another site cannot sign a person up', async (t) => {
  const { forge, link } = await startAccounts(t, { signUp: 'open' });
  const reader = new PageReader(forge);
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' } };
  assert.equal((await reader.post(SIGN_UP, BEN, foreign)).status, 403);
  await reader.post(SIGN_UP, BEN);
  const path = await link();
  assert.equal((await reader.post(path, { user_name: 'ben' }, foreign)).status, 403);
  assert.equal((await forge.get('/api/v1/users/ben')).status, 404);
});
