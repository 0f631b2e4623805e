import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_PATHS } from '../../../src/http/pages/link-paths.ts';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { collectLog } from '../../support/log-lines.ts';
import { pathIn, startAccounts } from './accounts-by-mail.ts';

const PASSWORD = 'correct horse battery';

test('A10: the token of a link works for no other purpose', async (t) => {
  const { forge, link } = await startAccounts(t, { signUp: 'open' });
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const paths: string[] = [];
  await reader.post('/user/forgot_password', { email: 'ada@example.org' });
  paths.push(await link());
  await ada.post('/api/v1/user/emails', { emails: ['second@example.org'] });
  paths.push(await link());
  await reader.post('/user/sign_up', { user_name: 'ben', email: 'ben@example.org', password: PASSWORD });
  paths.push(await link());
  await forge.root.post('/api/v1/admin/invitations', { email: 'eve@example.org' });
  paths.push(await link());

  for (const path of paths) {
    const token = path.slice(path.lastIndexOf('/') + 1);
    for (const other of Object.values(LINK_PATHS)) {
      if (path.startsWith(other)) continue;
      assert.equal((await reader.get(`${other}${token}`)).status, 404, `${other} of ${path}`);
      const fields = { user_name: 'mallory', password: PASSWORD };
      assert.equal((await reader.post(`${other}${token}`, fields)).status, 404, `${other} of ${path}`);
    }
    assert.equal((await reader.get(path)).status, 200, path);
  }
});

test('a token that no link has gets the same page as a used one', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  const answers = new Set<string>();
  for (const prefix of Object.values(LINK_PATHS))
    for (const token of ['x', 'a'.repeat(43), 'é'.repeat(43), '%00', 'a'.repeat(600)]) {
      const { status, text } = await reader.get(`${prefix}${encodeURI(token)}`);
      answers.add(`${status} ${text}`);
    }
  assert.equal(answers.size, 1, [...answers].join('\n'));
  assert.match([...answers][0] ?? '', /^404 .*This link does not work/s);
});

test('A6: no log line and no row contains the token of a link', async (t) => {
  const { forge, mails } = await startAccounts(t, { logLevel: 'trace' });
  const lines = collectLog(forge.forge.running.app);
  await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.post('/user/forgot_password', { email: 'ada@example.org' });
  const rows = JSON.stringify([
    await forge.forge.running.engines.database.reader.selectFrom('account_links').selectAll().execute(),
    await forge.forge.running.engines.database.reader.selectFrom('jobs').selectAll().execute(),
  ]);
  const [mail] = await mails();
  const [, path = ''] = new RegExp(`${forge.url}(/\\S+)`).exec(mail?.text ?? '') ?? [];
  const token = path.slice(path.lastIndexOf('/') + 1);
  for (const each of [path, `${path}/`, `${path}/more`, `${path}?query`, path.toUpperCase()])
    await reader.get(each);
  await reader.post(path, { password: 'short' });
  await reader.post(path, { password: PASSWORD });
  await reader.post(path, { password: PASSWORD });

  assert.ok(
    lines.some((line) => line.includes('/user/recover_account/…')),
    lines.join('\n'),
  );
  for (const text of [...lines, rows]) assert.ok(!text.toLowerCase().includes(token.toLowerCase()), text);
});

test('a mail that the mail server puts off arrives later, with the same link', async (t) => {
  const { forge, mailbox, mails } = await startAccounts(t);
  await forge.account('ada');
  mailbox.answer(() => ({ code: 451, text: 'later' }));
  await new PageReader(forge).post('/user/forgot_password', { email: 'ada@example.org' });
  assert.equal((await mails()).length, 0);
  mailbox.answer(() => undefined);
  await forge.forge.running.services.jobs.runDue({ aheadMs: 60_000 });
  assert.equal(mailbox.take().length, 1);
});

test('a mail that the mail server refuses is given up', async (t) => {
  const { forge, mailbox, mails } = await startAccounts(t);
  await forge.account('ada');
  mailbox.answer(() => ({ code: 550, text: 'no such user' }));
  await new PageReader(forge).post('/user/forgot_password', { email: 'ada@example.org' });
  assert.equal((await mails()).length, 0);
  mailbox.answer(() => undefined);
  await forge.forge.running.services.jobs.runDue({ aheadMs: 60_000 });
  assert.equal(mailbox.take().length, 0);
});

test('a mail whose job runs again after a crash has the same link and the same id', async (t) => {
  const { forge, mails } = await startAccounts(t);
  await forge.account('ada');
  await new PageReader(forge).post('/user/forgot_password', { email: 'ada@example.org' });
  const [first] = await mails();
  const { services, engines } = forge.forge.running;
  const { id } = await engines.database.reader
    .selectFrom('account_links')
    .select('id')
    .executeTakeFirstOrThrow();
  await engines.database.transaction((tx) => services.accountMails.sendLink(tx, { id }));
  const [second] = await mails();
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(second.messageId, first.messageId);
  assert.equal(pathIn(second, forge), pathIn(first, forge));
});
