import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WEBHOOK_LIMITS } from '../../../src/tracker/webhooks/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { type Mailbox, startMailbox } from '../mail/mailbox.ts';
import { addHook, delivered, HOOKS, hurry, startReceiver } from './receiver.ts';

const ENGINE = '/api/v1/repos/ada/engine';

interface Stopping {
  readonly forge: TestForge;
  readonly mailbox: Mailbox;
  readonly ada: Person;
  readonly url: string;
  /** Lets everything fail for a week, and one attempt more. */
  stop(repository?: string): Promise<void>;
  /** Sends what is to be sent, and returns the mails as `name: subject`. */
  sent(): Promise<readonly string[]>;
}

/** A forge that sends mail, with a receiver that fails. */
async function startStopping(t: TestContext): Promise<Stopping> {
  const mailbox = await startMailbox(t);
  const settings = { outboundAllow: '127.0.0.1', mail: mailbox.address };
  const forge = await startForge(t, { settings });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { url } = await startReceiver(t, (_, response) => void response.writeHead(503).end());
  const { database } = forge.forge.running.engines;
  const stop = async (repository = ENGINE) => {
    assert.equal((await ada.post(`${repository}/issues`, { title: 'It hums' })).status, 201);
    await delivered(forge);
    const failingSince = Date.now() - 2 * WEBHOOK_LIMITS.failingMsMax;
    await database.transaction((tx) =>
      tx.updateTable('webhooks').set({ failing_since: failingSince }).execute(),
    );
    await hurry(forge);
    await delivered(forge);
  };
  const sent = async () => {
    await forge.forge.running.services.jobs.runDue({ aheadMs: 2 * WEBHOOK_LIMITS.stopsGatheredMs });
    const mails = mailbox.mails.map(({ to, subject }) => `${to?.[0]?.address?.split('@')[0]}: ${subject}`);
    return mails.toSorted();
  };
  return { forge, mailbox, ada, url, stop, sent };
}

test('who changed a webhook last gets one mail when it stops, which names the host of its address only', async (t) => {
  const { mailbox, ada, url, stop, sent } = await startStopping(t);
  const { id } = await addHook(ada, `${url}?token=hidden`, { events: ['issues'] });
  await stop();
  assert.deepEqual(await sent(), ['ada: A webhook of ada/engine has stopped']);
  const [mail] = mailbox.mails;
  const { host } = new URL(url);
  assert.match(mail?.text ?? '', new RegExp(`webhook ${id} of ada/engine \\(gitea\\) to ${host}, inactive`));
  assert.match(mail?.text ?? '', /the receiver answered with status 503/);
  assert.match(mail?.html ?? '', /<li>webhook/);
  assert.doesNotMatch(`${mail?.text}${mail?.html}`, /hidden/);
  assert.equal((await sent()).length, 1);
});

test('webhooks that stop within an hour are in one mail to each person', async (t) => {
  const { ada, url, stop, sent } = await startStopping(t);
  for (const path of ['', '/a', '/b']) await addHook(ada, `${url}${path}`, { events: ['issues'] });
  await addHook(ada, url, { events: ['issues'], at: '/api/v1/user/hooks' });
  await stop();
  assert.deepEqual(await sent(), ['ada: 4 webhooks have stopped']);
});

test('owners of a stopped webhook get a mail too, if they want mail', async (t) => {
  const { forge, ada, url, stop, sent } = await startStopping(t);
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  for (const name of ['ben', 'eve'])
    await ada.put(`${ENGINE}/collaborators/${name}`, { permission: 'admin' });
  await addHook(ben, url, { events: ['issues'] });
  await addHook(forge.root, url, {
    events: ['issues'],
    at: '/api/v1/admin/hooks',
    config: { is_system_webhook: 'true' },
  });
  for (const who of [ada, eve]) await who.patch('/api/v1/user/mail', { notifications: 'own' });
  await stop();
  assert.deepEqual(await sent(), [
    'ada: A webhook of ada/engine has stopped',
    'ben: A webhook of ada/engine has stopped',
    'root: A webhook of this site has stopped',
  ]);
});

test('owners of an organization get a mail about its stopped webhooks', async (t) => {
  const { forge, ada, url, stop, sent } = await startStopping(t);
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await ada.post('/api/v1/orgs', { username: 'mill' });
  const { body: teams } = await ada.get('/api/v1/orgs/mill/teams');
  await ada.put(`/api/v1/teams/${teams[0].id}/members/ben`);
  for (const who of [ben, eve]) await who.patch('/api/v1/user/mail', { notifications: 'all' });
  await ada.post(`${ENGINE}/transfer`, { new_owner: 'mill' });
  await addHook(ada, url, { events: ['issues'], at: '/api/v1/orgs/mill/hooks' });
  await stop('/api/v1/repos/mill/engine');
  assert.deepEqual(await sent(), [
    'ada: A webhook of mill has stopped',
    'ben: A webhook of mill has stopped',
  ]);
});

test('no mail comes about a webhook that its reader may no longer change, or that is active again', async (t) => {
  const { forge, ada, url, stop, sent } = await startStopping(t);
  const ben = await forge.account('ben');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'admin' });
  await addHook(ben, url, { events: ['issues'] });
  const { id } = await addHook(ada, url, { events: ['issues'] });
  await stop();
  await ada.delete(`${ENGINE}/collaborators/ben`);
  assert.equal((await ada.patch(`${HOOKS}/${id}`, { active: true })).status, 200);
  assert.deepEqual(await sent(), []);
});

test('a mail that the mail server puts off comes later, and one that it refuses is given up', async (t) => {
  const { mailbox, ada, url, stop, sent } = await startStopping(t);
  await addHook(ada, url, { events: ['issues'] });
  await stop();
  mailbox.answer(() => ({ code: 450, text: 'later' }));
  assert.deepEqual(await sent(), []);
  mailbox.answer(() => undefined);
  assert.deepEqual(await sent(), ['ada: A webhook of ada/engine has stopped']);
  mailbox.take();
  await addHook(ada, url, { events: ['issues'] });
  await stop();
  mailbox.answer(() => ({ code: 550, text: 'no such user' }));
  assert.deepEqual(await sent(), []);
  mailbox.answer(() => undefined);
  assert.deepEqual(await sent(), []);
});
