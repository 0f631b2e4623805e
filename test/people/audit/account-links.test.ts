import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageReader } from '../../support/http/page-reader.ts';
import { startAccounts } from '../account-links/accounts-by-mail.ts';
import { type Entry, EntryLog } from './entries.ts';

const PASSWORD = 'a password of many words';
const NEW = 'another password of many words';

// The routes of links that are mailed. routes.test.ts walks through the others.

test('what people do with links in mails, and administrators with invitations, leaves entries without the links', async (t) => {
  const { forge, link, mails } = await startAccounts(t, { signUp: 'open' });
  const log = new EntryLog(forge);
  const reader = new PageReader(forge);
  await log.next();
  const leaves = async (about: string, ...actions: string[]) => {
    const entries = await log.next();
    assert.deepEqual(
      entries.map(({ action }: Entry) => action),
      actions,
      about,
    );
    return entries;
  };
  const links: string[] = [];
  const nextLink = async () => {
    const path = await link();
    links.push(path.slice(path.lastIndexOf('/') + 1));
    return path;
  };

  await reader.post('/user/sign_up', { user_name: 'ada', email: 'ada@example.org', password: PASSWORD });
  await leaves('a sign-up that no one has confirmed');
  const activation = await nextLink();
  assert.equal((await reader.post(activation, { user_name: 'ada' })).status, 200);
  const [signedUp] = await leaves('a sign-up', 'account.created');
  assert.deepEqual([signedUp.actor.kind, signedUp.address === null], ['anonymous', false]);

  const invited = await forge.root.post('/api/v1/admin/invitations', { email: 'ben@example.org' });
  const [invitation] = await leaves('an invitation', 'invitation.created');
  assert.deepEqual(
    [invitation.target.kind, invitation.details.email, invitation.actor.login],
    ['invitation', 'ben@example.org', 'root'],
  );
  assert.equal((await reader.post(await nextLink(), { user_name: 'ben', password: PASSWORD })).status, 200);
  await leaves('an accepted invitation', 'account.created');
  const taken = await forge.root.post('/api/v1/admin/invitations', { email: 'eve@example.org' });
  await forge.root.delete(`/api/v1/admin/invitations/${taken.body.id}`);
  await leaves('an invitation that is taken back', 'invitation.created', 'invitation.deleted');
  await mails();
  links.push(invited.body.url, taken.body.url);

  await reader.post('/user/forgot_password', { email: 'ada@example.org' });
  await leaves('a request for a new password');
  assert.equal((await reader.post(await nextLink(), { password: NEW })).status, 200);
  await leaves('a recovered account', 'account.changed');
  await mails();
  const handedOver = await forge.root.post('/api/v1/admin/users/ada/reset-link');
  links.push(handedOver.body.url);
  const [made] = await leaves('a link of an administrator', 'account.reset-link-created');
  assert.deepEqual([made.target.name, made.actor.login], ['ada', 'root']);

  await reader.signIn({ name: 'ada', password: NEW });
  await leaves('a sign-in', 'session.started');
  const account = '/user/settings/account';
  await reader.post(`${account}/emails`, { change: 'add', email: 'lovelace@example.org' });
  const [added] = await leaves('a new address', 'account.changed');
  assert.deepEqual(added.details.added, ['lovelace@example.org']);
  await reader.post(await nextLink(), {});
  const [verified] = await leaves('a proved address', 'account.changed');
  assert.deepEqual(verified.details.verified, ['lovelace@example.org']);
  await reader.post(`${account}/emails`, { change: 'primary', email: 'lovelace@example.org' });
  await leaves('another primary address', 'account.changed');
  const undo = await nextLink();
  await reader.post(undo, {});
  const restored = await log.next();
  assert.ok(
    restored.some(({ action }: Entry) => action === 'account.changed'),
    'a change that is undone',
  );
  await mails();

  const of = '/api/v1/admin/users/ben';
  await forge.send('POST', '/api/v1/user/emails', {
    as: { name: 'ben', password: PASSWORD },
    json: { emails: ['franklin@example.org'] },
  });
  await leaves('a new address over the API', 'account.changed');
  assert.equal((await forge.root.post(`${of}/emails/verify`, { email: 'franklin@example.org' })).status, 204);
  await leaves('an address that an administrator verifies', 'account.changed');
  const ben = new PageReader(forge);
  await ben.signIn({ name: 'ben', password: PASSWORD });
  await leaves('another sign-in', 'session.started');
  await ben.post(`${account}/password`, { current: PASSWORD, password: NEW });
  const changed = await log.next();
  assert.ok(
    changed.some(({ action }: Entry) => action === 'account.changed'),
    'a new password',
  );
  await ben.post(`${account}/delete`, { password: NEW });
  const deleted = await log.next();
  assert.ok(
    deleted.some(({ action }: Entry) => action === 'account.deleted'),
    'a deleted account',
  );

  const stored = await forge.forge.running.engines.database.reader
    .selectFrom('audit_entries')
    .selectAll()
    .execute();
  const text = JSON.stringify(stored);
  for (const secret of [...links, PASSWORD, NEW]) assert.ok(!text.includes(secret), secret);
  assert.ok(links.length >= 8);
});
