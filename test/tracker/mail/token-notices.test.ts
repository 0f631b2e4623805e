import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MAIL_LIMITS } from '../../../src/tracker/mail/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { startMailbox } from './mailbox.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

async function startNoticing(t: TestContext) {
  const mailbox = await startMailbox(t);
  const forge = await startForge(t, { settings: { mail: mailbox.address } });
  const ada = await forge.account('ada');
  const { jobs } = forge.forge.running.services;
  const sent = async () => {
    await jobs.runDue({ aheadMs: MAIL_LIMITS.tokenNoticesEveryMs + 1 });
    return mailbox
      .take()
      .map(({ to, subject }) => [to?.[0]?.address, subject])
      .sort();
  };
  return { mailbox, forge, ada, sent };
}

/** Creates a token, or moves one that exists: when it was created and when it expires, in days from now. */
async function token(forge: TestForge, owner: Person, name: string, days: { age: number; left: number }) {
  const { database } = forge.forge.running.engines;
  const { tokens, accounts } = forge.forge.running.services;
  const account = await accounts.findByName(owner.name);
  assert.ok(account !== undefined);
  const times = { created_at: Date.now() - days.age * DAY_MS, expires_at: Date.now() + days.left * DAY_MS };
  const move = () =>
    database.transaction((tx) =>
      tx.updateTable('tokens').set(times).where('name', '=', name).executeTakeFirst(),
    );
  if ((await move()).numUpdatedRows > 0n) return;
  await tokens.createFor(account, { name, scopes: ['all'] });
  await move();
}

test('the owner of a token gets a mail a week and a day before it expires, once each', async (t) => {
  const { forge, ada, sent, mailbox } = await startNoticing(t);
  await token(forge, ada, 'ci', { age: 30, left: 6.9 });
  await token(forge, ada, 'later', { age: 30, left: 7.1 });
  await token(forge, ada, 'urgent', { age: 30, left: 0.9 });
  await token(forge, ada, 'for three days', { age: 0, left: 3 });
  await token(forge, ada, 'for an hour', { age: 0, left: 0.04 });
  await token(forge, ada, 'over', { age: 30, left: -0.1 });

  assert.deepEqual(await sent(), [
    ['ada@example.org', 'Your token “ci” expires within 7 days'],
    ['ada@example.org', 'Your token “urgent” expires within a day'],
  ]);
  assert.deepEqual(await sent(), []);
  await token(forge, ada, 'ci', { age: 36, left: 0.9 });
  await token(forge, ada, 'for three days', { age: 2.1, left: 0.9 });
  assert.deepEqual(await sent(), [
    ['ada@example.org', 'Your token “ci” expires within a day'],
    ['ada@example.org', 'Your token “for three days” expires within a day'],
  ]);
  assert.deepEqual(await sent(), []);
  assert.deepEqual(mailbox.mails, []);
});

test('a notice that the mail server puts off is sent later with the same id, and one that it refuses is not', async (t) => {
  const { forge, ada, mailbox } = await startNoticing(t);
  const ben = await forge.account('ben');
  await token(forge, ada, 'ci', { age: 30, left: 5 });
  await token(forge, ben, 'bot', { age: 30, left: 5 });
  const { jobs } = forge.forge.running.services;
  const run = () => jobs.runDue({ aheadMs: MAIL_LIMITS.tokenNoticesEveryMs + 1 });

  mailbox.answer((to) =>
    to.startsWith('ada') ? { code: 451, text: 'later' } : { code: 550, text: 'unknown user' },
  );
  await run();
  assert.deepEqual(mailbox.take(), []);
  mailbox.answer(() => undefined);
  await run();
  const [mail, ...others] = mailbox.take();

  assert.deepEqual([mail?.to?.[0]?.address, others], ['ada@example.org', []]);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('tokens').set({ announced_days: null }).execute());
  await run();
  const again = mailbox.take().find(({ to }) => to?.[0]?.address === 'ada@example.org');
  assert.equal(again?.messageId, mail?.messageId);
});

test('the mail says in text and in HTML which token expires when, without a secret', async (t) => {
  const { forge, ada, mailbox } = await startNoticing(t);
  await token(forge, ada, 'ci <b>\u202e', { age: 30, left: 5 });
  await forge.forge.running.services.jobs.runDue({ aheadMs: MAIL_LIMITS.tokenNoticesEveryMs + 1 });

  const [mail] = mailbox.take();

  assert.match(mail?.text ?? '', /Your token “ci <b>\\u\{202e\}” expires at \d{4}-/);
  assert.match(mail?.html ?? '', /ci &lt;b&gt;/);
  assert.ok(!JSON.stringify(mail).includes(ada.token.slice(-8)));
});

test('disabled users get no notice, and a server without mail has no such work', async (t) => {
  const { forge, ada, sent } = await startNoticing(t);
  await token(forge, ada, 'ci', { age: 30, left: 5 });
  await forge.root.patch('/api/v1/admin/users/ada', { login_name: 'ada', source_id: 0, active: false });
  assert.deepEqual(await sent(), []);

  const without = await startForge(t);
  const { body } = await without.root.get('/api/v1/admin/cron?limit=50');
  const names = body.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('audit_delete_old'));
  assert.ok(!names.includes('mail_token_notices'));
});
