import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { afterTest } from '../../support/after-test.ts';
import { type Certificate, makeCertificate } from '../../support/http/certificate.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { choose, ISSUES, type Mailing, startMailing } from './mailing.ts';

const CREDENTIALS = { user: 'quire', password: 'a secret of mail' };
const SETTINGS = { mailUser: CREDENTIALS.user, mailPassword: CREDENTIALS.password };

/** Lets this process trust a certificate during the test. */
function trust(t: TestContext, { cert }: Certificate): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, cert.toString()]);
  afterTest(t, () => tls.setDefaultCACertificates(before));
}

async function sentOne({ ada, ben, sent }: Mailing): Promise<number> {
  await choose(ben, 'all');
  await ada.post(ISSUES, { title: 'Wheel' });
  return (await sent()).length;
}

/** Lets mail that was put off be tried again at once. */
async function retried({ forge, sent }: Mailing): Promise<number> {
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('mail_preferences').set({ next_at: 0 }).execute());
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'mail.send').execute(),
  );
  return (await sent()).length;
}

for (const isSmtps of [true, false]) {
  const kind = isSmtps ? 'smtps encrypts' : 'smtp encrypts if the server offers it';
  test(`${kind}, and signs in with the credentials of the settings`, async (t) => {
    const certificate = await makeCertificate(t);
    trust(t, certificate);
    const mailing = await startMailing(t, SETTINGS, { certificate, isSmtps, credentials: CREDENTIALS });
    assert.equal(await sentOne(mailing), 1);
    assert.deepEqual(mailing.mailbox.arrivals, [{ isEncrypted: true, user: CREDENTIALS.user }]);
  });

  test(`mail waits if the certificate is not trusted, also with ${isSmtps ? 'smtps' : 'smtp'}`, async (t) => {
    const certificate = await makeCertificate(t);
    const mailing = await startMailing(t, SETTINGS, { certificate, isSmtps, credentials: CREDENTIALS });
    assert.equal(await sentOne(mailing), 0);
    trust(t, certificate);
    assert.equal(await retried(mailing), 1);
  });
}

test('mail waits while the server refuses the credentials', async (t) => {
  const wrong = { mailUser: CREDENTIALS.user, mailPassword: 'another one' };
  const mailing = await startMailing(t, wrong, { credentials: CREDENTIALS });
  assert.equal(await sentOne(mailing), 0);
  const { reader } = mailing.forge.forge.running.engines.database;
  assert.equal((await reader.selectFrom('mail_notices').selectAll().execute()).length, 1);
});

test('a password goes to another machine only over an encrypted connection', async (t) => {
  const mailbox: Mailbox = await startMailbox(t, { credentials: CREDENTIALS });
  const { port } = new URL(mailbox.address);
  // The form of an address that is not one of this machine, as far as the server knows.
  const mailing = await startMailing(t, { ...SETTINGS, mail: `smtp://[::ffff:127.0.0.1]:${port}` });
  await sentOne(mailing);
  assert.deepEqual([mailbox.arrivals, mailbox.signIns], [[], 0]);
});

test('mail waits for a mail server that cannot be reached, and doctor says why', async (t) => {
  const away = await startMailbox(t);
  const { port } = new URL(away.address);
  await away.close();
  const mailing = await startMailing(t, { mail: away.address });
  assert.equal(await sentOne(mailing), 0);
  const { reader } = mailing.forge.forge.running.engines.database;
  const job = await reader
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', 'mail.send')
    .executeTakeFirstOrThrow();
  assert.match(JSON.stringify(job), /ECONNREFUSED/);
  const back = await startMailbox(t, { port: Number(port) });
  await retried(mailing);
  assert.equal(back.mails.length, 1);
});
