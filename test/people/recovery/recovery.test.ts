import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_LIMITS } from '../../../src/people/account-links/limits.ts';
import { RECOVERY_LIMITS } from '../../../src/people/recovery/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';
import { headerOf } from '../../tracker/mail/mailbox.ts';
import { ageLinks, pathIn, startAccounts } from '../account-links/accounts-by-mail.ts';

const FORGOT = '/user/forgot_password';
const NEW = 'a quite new password';

test('a user who has forgotten the password gets a link by mail, and chooses a new one', async (t) => {
  const { forge, mails, link } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  const desk = new PageReader(forge);
  await desk.signIn(ada);
  assert.match((await reader.get('/user/login')).text, /Forgot your password\?/);

  assert.equal((await reader.post(FORGOT, { email: 'ADA@example.org' })).status, 200);
  const path = await link();
  const page = await reader.get(path);
  assert.equal(page.status, 200);
  assert.equal(fieldIn(page.text, 'user_name'), 'ada');
  const done = await reader.post(path, { password: NEW });

  assert.equal(done.status, 200, done.text);
  assert.equal(reader.cookies.has('quire_session'), false, 'a link signs no user in');
  assert.equal((await desk.get('/user/settings/sessions')).status, 303, 'all sessions have ended');
  await assert.rejects(new PageReader(forge).signIn(ada));
  await reader.signIn({ name: 'ada', password: NEW });
  const [notice] = await mails();
  assert.match(notice?.subject ?? '', /^The password of ada at .+ has changed$/);
  assert.equal((await ada.get('/api/v1/user')).status, 200, 'tokens stay');
});

test('the mail of a link is text and HTML, is not answered by programs, and is no list', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  await new PageReader(forge).post(FORGOT, { email: 'ada@example.org' });
  const [mail] = await mails();
  assert.ok(mail !== undefined);
  assert.deepEqual(
    mail.to?.map(({ address }) => address),
    ['ada@example.org'],
  );
  assert.ok(mail.html?.includes(`href="${forge.url}${pathIn(mail, forge)}"`));
  assert.equal(headerOf(mail, 'Auto-Submitted'), 'auto-generated');
  assert.equal(headerOf(mail, 'List-Unsubscribe'), undefined);
});

test('a user who recovers an account may delete all its tokens', async (t) => {
  const { forge, link } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.post(FORGOT, { email: 'ada@example.org' });
  assert.equal((await reader.post(await link(), { password: NEW, delete_tokens: 'on' })).status, 200);
  assert.equal((await ada.get('/api/v1/user')).status, 401);
});

test('A1: the page for a forgotten password answers the same for a known and an unknown address', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  const answers = [];
  for (const email of ['ada@example.org', 'no-one@example.org', 'no address', '', 'x'.repeat(5000)]) {
    const { status, text, headers } = await new PageReader(forge).post(FORGOT, { email });
    const names = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
    answers.push(JSON.stringify([status, names, text]));
  }
  assert.equal(new Set(answers).size, 1, answers.join('\n'));
  assert.equal((await mails()).length, 1);
});

test('A10: a link that gives a new password works once', async (t) => {
  const { forge, link } = await startAccounts(t);
  await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.post(FORGOT, { email: 'ada@example.org' });
  const path = await link();
  const answers = await Promise.all([
    reader.post(path, { password: `${NEW} 1` }),
    reader.post(path, { password: `${NEW} 2` }),
    reader.post(path, { password: `${NEW} 3` }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404]);
  assert.equal((await reader.get(path)).status, 404);
  assert.equal((await reader.post(path, { password: `${NEW} 4` })).status, 404);
});

test('A10: a mail program that opens a link uses nothing up', async (t) => {
  const { forge, link } = await startAccounts(t);
  await forge.account('ada');
  await new PageReader(forge).post(FORGOT, { email: 'ada@example.org' });
  const path = await link();
  for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await forge.send(method, path)).status, 200);
  const { headers } = await forge.get(path);
  assert.equal(headers.get('referrer-policy'), 'strict-origin');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal((await new PageReader(forge).post(path, { password: NEW })).status, 200);
});

test('A10: a link ends after its time, with another password, another address, and a disabled account', async (t) => {
  const { forge, link } = await startAccounts(t);
  await forge.account('ada');
  const reader = new PageReader(forge);
  const ends = async (change: () => Promise<unknown>) => {
    await reader.post(FORGOT, { email: 'ada@example.org' });
    const path = await link();
    assert.equal((await reader.get(path)).status, 200);
    await change();
    assert.equal((await reader.get(path)).status, 404);
    assert.equal((await reader.post(path, { password: NEW })).status, 404);
    await forge.forge.running.services.jobs.runDue();
  };
  const edit = async (fields: Record<string, unknown>) => {
    const { status, text } = await forge.root.patch('/api/v1/admin/users/ada', fields);
    assert.equal(status, 200, text);
  };
  await ends(() => ageLinks(forge, LINK_LIMITS.recoverMs));
  await ends(async () => {
    await edit({ email: 'new@example.org' });
  });
  await edit({ email: 'ada@example.org' });
  await ends(async () => {
    await edit({ active: false });
    await edit({ active: true });
  });
});

test('A10: an unusable new password leaves the link as it is, and says why', async (t) => {
  const { forge, link } = await startAccounts(t);
  await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.post(FORGOT, { email: 'ada@example.org' });
  const path = await link();
  for (const [password, why] of [
    ['short', 'A password must have 8 to 1024 characters.'],
    ['password123', 'This password is one of the most common ones: choose another.'],
  ] as const) {
    const answer = await reader.post(path, { password });
    assert.equal(answer.status, 422);
    assert.ok(answer.text.includes(why), answer.text);
  }
  assert.equal((await reader.post(path, { password: NEW })).status, 200);
});

test('A10: an address that is sent twice is one address, and the link goes to the address of the account', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  await forge.account('eve');
  await forge.send('POST', FORGOT, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: 'email=ada%40example.org&email=eve%40example.org&email[]=eve%40example.org',
  });
  const sent = await mails();
  assert.deepEqual(
    sent.flatMap(({ to = [] }) => to.map(({ address }) => address)),
    ['ada@example.org'],
  );
});

test('an address gets a bounded number of links, and a network sends a bounded number of requests', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  const reader = new PageReader(forge);
  for (let count = 0; count < RECOVERY_LIMITS.recoveriesPerNetworkMax; count += 1)
    assert.equal((await reader.post(FORGOT, { email: 'ada@example.org' })).status, 200);
  const refused = await reader.post(FORGOT, { email: 'ada@example.org' });
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await mails()).length, LINK_LIMITS.linksPerAddressMax);
});

test('users who may not sign in get no link', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  await forge.root.patch('/api/v1/admin/users/ada', { prohibit_login: true });
  await new PageReader(forge).post(FORGOT, { email: 'ada@example.org' });
  assert.equal((await mails()).length, 0);
});

test('an address that a user has added gives no link', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  assert.equal((await ada.post('/api/v1/user/emails', { emails: ['eve@example.org'] })).status, 201);
  await mails();
  await new PageReader(forge).post(FORGOT, { email: 'eve@example.org' });
  assert.equal((await mails()).length, 0);
});

test('F1: a page of another site cannot send the forms', async (t) => {
  const { forge, link } = await startAccounts(t);
  await forge.account('ada');
  const reader = new PageReader(forge);
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' } };
  assert.equal((await reader.post(FORGOT, { email: 'ada@example.org' }, foreign)).status, 403);
  await reader.post(FORGOT, { email: 'ada@example.org' });
  const path = await link();
  assert.equal((await reader.post(path, { password: NEW }, foreign)).status, 403);
  assert.equal((await reader.get(path)).status, 200);
});

test('without mail, the page says whom to ask, and an administrator makes a link to hand over', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  assert.doesNotMatch((await reader.get('/user/login')).text, /Forgot your password/);
  assert.match((await reader.get(FORGOT)).text, /Ask an administrator/);
  assert.match((await reader.post(FORGOT, { email: 'ada@example.org' })).text, /Ask an administrator/);

  const url = '/api/v1/admin/users/ada/reset-link';
  assert.equal((await ada.post(url)).status, 403);
  assert.equal((await forge.root.post('/api/v1/admin/users/no-one/reset-link')).status, 404);
  const made = await forge.root.post(url);
  assert.equal(made.status, 201, made.text);
  const path = made.body.url.slice(forge.url.length);
  assert.equal((await reader.post(path, { password: NEW })).status, 200);
  await reader.signIn({ name: 'ada', password: NEW });
  assert.equal((await reader.post(path, { password: `${NEW}!` })).status, 404);
});
