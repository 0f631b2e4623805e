import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Email } from 'postal-mime';
import { MAIL_LIMITS } from '../../../src/tracker/mail/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { headerOf } from './mailbox.ts';
import { choose, ENGINE, ISSUES, startMailing } from './mailing.ts';

const UNSUBSCRIBE = /\/-\/mail\/unsubscribe\/[\w.-]+/;

function subjects(mails: readonly Email[]): readonly (string | undefined)[] {
  return mails.map(({ subject }) => subject);
}

test('users who have not asked for mail get none, and the settings say so', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  const { status, body } = await ben.get('/api/v1/user/mail');
  assert.equal(status, 200);
  assert.deepEqual(body, { notifications: 'none', address: 'ben@example.org', enabled: true });
  await ada.post(ISSUES, { title: 'Quiet' });
  assert.deepEqual(subjects(await sent()), []);
});

test('a user who wants all notifications gets a mail for each, as text and as HTML, in one conversation', async (t) => {
  const { forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Wheel', body: 'It *turns* <b>too</b> fast.' });
  await ada.post(`${ISSUES}/1/comments`, { body: 'See #1.' });
  const [opened, commented] = await sent();
  assert.ok(opened !== undefined && commented !== undefined);
  assert.equal(opened.subject, '[ada/engine] Wheel (#1)');
  assert.equal(commented.subject, 'Re: [ada/engine] Wheel (#1)');
  assert.deepEqual([opened.from?.name, opened.from?.address], ['ada', 'noreply@localhost']);
  assert.deepEqual(
    opened.to?.map(({ address }) => address),
    ['ben@example.org'],
  );
  assert.match(opened.text ?? '', /^ada opened this:\s+It \*turns\* <b>too<\/b> fast\./);
  assert.match(opened.html ?? '', /It <em>turns<\/em>/);
  assert.match(commented.text ?? '', new RegExp(`${forge.url}/ada/engine/issues/1#issuecomment-\\d+`));
  assert.match(commented.html ?? '', new RegExp(`href="${forge.url}/ada/engine/issues/1"`));
  assert.equal(commented.inReplyTo, opened.messageId);
  assert.equal(commented.references, opened.messageId);
  assert.equal(headerOf(opened, 'List-ID'), '"ada/engine" <engine.ada.127.0.0.1>');
  assert.equal(headerOf(opened, 'Auto-Submitted'), 'auto-generated');
  assert.deepEqual(subjects(await sent()), [], 'each is sent once');
});

test('a user who wants only their own gets what they wrote, what is assigned to them, and what mentions them', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  await choose(ben, 'own');
  await ada.post(ISSUES, { title: 'Of no concern' });
  await ada.post(ISSUES, { title: 'Mention', body: 'What does @ben say?' });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await ada.post(ISSUES, { title: 'Assigned', assignees: ['ben'] });
  await ben.post(ISSUES, { title: 'Mine' });
  await ada.post(`${ISSUES}/4/comments`, { body: 'An answer' });
  const mails = await sent();
  assert.deepEqual(
    new Set(mails.map(({ subject = '' }) => subject.replace('Re: ', ''))),
    new Set(['[ada/engine] Assigned (#3)', '[ada/engine] Mention (#2)', '[ada/engine] Mine (#4)']),
  );
});

test('nothing is sent about what the reader may no longer see, and no text that was deleted', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Public' });
  const { body } = await ada.post(`${ISSUES}/1/comments`, { body: 'A secret by mistake' });
  await ada.delete(`${ENGINE}/issues/comments/${body.id}`);
  assert.deepEqual(subjects(await sent()), ['[ada/engine] Public (#1)']);
  await ada.post(`${ISSUES}/1/comments`, { body: 'About to be private' });
  await ada.patch(ENGINE, { private: true });
  assert.deepEqual(subjects(await sent()), []);
});

test('many notifications at once become one mail that lists them', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  const count = MAIL_LIMITS.mailsAtOnceMax + 1;
  for (let number = 1; number <= count; number += 1) await ada.post(ISSUES, { title: `Part ${number}` });
  const mails = await sent();
  assert.deepEqual(subjects(mails), [`${count} notifications about ${count} issues and pull requests`]);
  const [{ text = '', inReplyTo } = {}] = mails;
  for (let number = 1; number <= count; number += 1)
    assert.match(text, new RegExp(`ada/engine#${number} Part ${number}\\n- ada opened this: `));
  assert.equal(inReplyTo, undefined);
});

test('many notifications about one issue become one mail of its conversation and its list', async (t) => {
  const { forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Wheel' });
  const [first] = await sent();
  for (let number = 0; number <= MAIL_LIMITS.mailsAtOnceMax; number += 1)
    await ada.post(`${ISSUES}/1/comments`, { body: 'And' });
  const [digest] = await sent();
  assert.match(digest?.subject ?? '', /^[0-9]+ notifications about ada\/engine#1 Wheel$/);
  assert.equal(digest?.inReplyTo, first?.messageId);
  assert.ok(digest !== undefined && first !== undefined);
  assert.equal(headerOf(digest, 'list-id'), headerOf(first, 'list-id'));
  const [, path = ''] = /<https?:\/\/[^/]+(\/[^>]+)>/.exec(headerOf(digest, 'list-unsubscribe') ?? '') ?? [];
  assert.equal((await forge.send('POST', path)).status, 200);
  assert.equal((await ben.get('/api/v1/user/mail')).body.notifications, 'all', 'only this issue is silent');
});

test('a user who has had many mails in an hour waits for the rest', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  for (let number = 1; number <= MAIL_LIMITS.mailsPerHourMax; number += 1) {
    await ada.post(ISSUES, { title: `Part ${number}` });
    assert.equal((await sent()).length, 1);
  }
  await ada.post(ISSUES, { title: 'One too many' });
  assert.deepEqual(subjects(await sent()), []);
});

test('one click in the mail program ends the mails about an issue, and another all mails', async (t) => {
  const { forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Loud' });
  const [mail] = await sent();
  assert.ok(mail !== undefined);
  assert.equal(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  const address = UNSUBSCRIBE.exec(headerOf(mail, 'List-Unsubscribe') ?? '')?.[0] ?? '';
  const page = await forge.get(address);
  assert.equal(page.status, 200);
  assert.match(page.text, /<form method="post">/);
  await ada.post(`${ISSUES}/1/comments`, { body: 'A look at the page ends nothing' });
  assert.equal((await sent()).length, 1);
  const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const ended = await fetch(`${forge.url}${address}`, { method: 'POST', body: form });
  assert.equal(ended.status, 200);
  const multipart = new FormData();
  multipart.set('List-Unsubscribe', 'One-Click');
  assert.equal((await fetch(`${forge.url}${address}`, { method: 'POST', body: multipart })).status, 200);
  await ada.post(`${ISSUES}/1/comments`, { body: 'Still loud' });
  await ada.post(ISSUES, { title: 'Another' });
  const [other] = await sent();
  assert.equal(other?.subject, '[ada/engine] Another (#2)');
  const all = /No more mail: (\S+)/.exec(other?.text ?? '')?.[1] ?? '';
  assert.equal((await fetch(all, { method: 'POST', body: form })).status, 200);
  assert.equal((await ben.get('/api/v1/user/mail')).body.notifications, 'none');
});

test('an address that the server has not made ends nothing', async (t) => {
  const { forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Wheel' });
  const [mail] = await sent();
  const address = UNSUBSCRIBE.exec(mail?.text ?? '')?.[0] ?? '';
  const [account, issue, signature] = (address.split('/').at(-1) ?? '').split('.');
  for (const token of [
    `${Number(account) + 1}.${issue}.${signature}`,
    `${account}.0.${signature}`,
    'x',
    '..',
  ])
    for (const method of ['GET', 'POST'])
      assert.equal(
        (await forge.send(method, `/-/mail/unsubscribe/${token}`)).status,
        404,
        `${method} ${token}`,
      );
  assert.equal((await ben.get('/api/v1/user/mail')).body.notifications, 'all');
});

test('a mail that the server puts off is sent later, and one that it refuses is not', async (t) => {
  const { mailbox, forge, ada, ben, sent } = await startMailing(t);
  const cid = await forge.account('cid');
  await cid.put(`${ENGINE}/subscription`);
  for (const who of [ben, cid]) await choose(who, 'all');
  mailbox.answer((recipient) =>
    recipient.startsWith('ben') ? { code: 451, text: 'later' } : { code: 550, text: 'no such user' },
  );
  await ada.post(ISSUES, { title: 'Wheel' });
  assert.deepEqual(subjects(await sent()), []);
  mailbox.answer(() => undefined);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('mail_preferences').set({ next_at: 0 }).execute());
  await ada.post(ISSUES, { title: 'Again' });
  const mails = await sent();
  assert.deepEqual(mails.map(({ subject, to }) => `${to?.[0]?.address} ${subject}`).toSorted(), [
    'ben@example.org [ada/engine] Again (#2)',
    'ben@example.org [ada/engine] Wheel (#1)',
    'cid@example.org [ada/engine] Again (#2)',
  ]);
});

test('mail waits for a mail server that is down', async (t) => {
  const { mailbox, forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  mailbox.answer(() => ({ code: 421, text: 'shutting down' }));
  await ada.post(ISSUES, { title: 'Wheel' });
  assert.deepEqual(subjects(await sent()), []);
  mailbox.answer(() => undefined);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('mail_preferences').set({ next_at: 0 }).execute());
  await ada.post(`${ISSUES}/1/comments`, { body: 'And now' });
  assert.equal((await sent()).length, 2);
});

test('mail waits while the server refuses its sender', async (t) => {
  const { mailbox, forge, ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  mailbox.answerSender(() => ({ code: 550, text: 'sender not allowed' }));
  await ada.post(ISSUES, { title: 'Wheel' });
  assert.deepEqual(subjects(await sent()), []);
  mailbox.answerSender(() => undefined);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('mail_preferences').set({ next_at: 0 }).execute());
  await ada.post(ISSUES, { title: 'Again' });
  assert.equal((await sent()).length, 2);
});

test('a mail at which the server ends the connection does not stop the mails to others', async (t) => {
  const { mailbox, forge, ada, ben, sent } = await startMailing(t);
  const others = await Promise.all(['cid', 'dot'].map((name) => forge.account(name)));
  for (const other of others) await other.put(`${ENGINE}/subscription`);
  for (const who of [ben, ...others]) await choose(who, 'all');
  mailbox.answer((recipient) => (recipient.startsWith('dot') ? undefined : 'cut'));
  await ada.post(ISSUES, { title: 'Wheel' });
  const first = await sent();
  await ada.post(ISSUES, { title: 'Again' });
  const mails = [...first, ...(await sent())];
  const { database } = forge.forge.running.engines;
  const waiting = await database.reader
    .selectFrom('mail_preferences')
    .selectAll()
    .where('next_at', '>', 0)
    .execute();
  assert.equal(waiting.length, 2);
  assert.deepEqual([...new Set(mails.map(({ to }) => to?.[0]?.address))], ['dot@example.org']);
});

test('names and titles cannot add headers or recipients', async (t) => {
  const { ada, ben, sent } = await startMailing(t);
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'A "title" <eve@example.org>, \u202e=?utf-8?q?x?= Bcc: eve@example.org' });
  const [mail] = await sent();
  assert.deepEqual(
    mail?.to?.map(({ address }) => address),
    ['ben@example.org'],
  );
  assert.equal(mail?.bcc, undefined);
  assert.match(mail?.subject ?? '', /^\[ada\/engine\] A "title" <eve@example\.org>, \\u\{202e\}/);
});

test('a server without mail settings records nothing to send', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ben.put(`${ENGINE}/subscription`);
  await choose(ben, 'all');
  assert.equal((await ben.get('/api/v1/user/mail')).body.enabled, false);
  await ada.post(ISSUES, { title: 'Wheel' });
  const { jobs } = forge.forge.running.services;
  await jobs.runDue({ aheadMs: 60_000 });
  const { reader } = forge.forge.running.engines.database;
  assert.deepEqual(await reader.selectFrom('mail_notices').selectAll().execute(), []);
});

test('mail can be files of the data folder', async (t) => {
  const { forge, ada, ben, sent } = await startMailing(t, { mail: 'folder', mailFrom: 'quire@example.com' });
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Wheel' });
  await sent();
  const folder = path.join(forge.forge.dataFolder, 'mail');
  const [name = ''] = readdirSync(folder);
  assert.match(name, /\.eml$/);
  assert.match(readFileSync(path.join(folder, name), 'utf8'), /^From: ada <quire@example\.com>\r\n/m);
});

test('an unknown level is refused', async (t) => {
  const { ben } = await startMailing(t);
  for (const body of [{ notifications: 'some' }, {}, { notifications: null }])
    assert.equal((await ben.patch('/api/v1/user/mail', body)).status, 422);
});
