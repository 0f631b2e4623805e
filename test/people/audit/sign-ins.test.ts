import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY_PASSWORD, viewerOf } from '../../../src/api/access/viewer.ts';
import { AUTHENTICATION_LIMITS } from '../../../src/people/authentication/limits.ts';
import { SignInLog } from '../../../src/people/authentication/sign-in-log.ts';
import { passwordOf, startWho, type Who } from '../../support/forge/who.ts';
import type { Credentials } from '../../support/http/http.ts';
import { StillClock } from '../../support/still-clock.ts';

const HOUR_MS = AUTHENTICATION_LIMITS.auditHourMs;

async function signIns(who: Who) {
  await who.authentication.waitForWrites();
  const rows = await who.database.reader
    .selectFrom('audit_entries')
    .selectAll()
    .where('action', 'like', 'sign-in.%')
    .orderBy('id')
    .execute();
  return rows.map((row) => [row.action, row.target_name, row.credential, row.address, row.details]);
}

test('the first use of a credential in a network leaves an entry, and no further request does for days', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  const token = await who.token('ada');
  const use = async (as: Credentials, from: string) => {
    await who.send('GET', '/user', { as, from });
    await who.authentication.waitForWrites();
  };

  for (let i = 0; i < 3; i += 1) {
    await use(passwordOf('ada'), '192.0.2.1');
    await use({ token }, '192.0.2.1');
  }
  await use({ token }, '198.51.100.7');
  clock.time += AUTHENTICATION_LIMITS.signInRememberedMs - 1;
  await use({ token }, '198.51.100.7');
  clock.time += AUTHENTICATION_LIMITS.signInRememberedMs;
  await who.database.transaction((tx) => tx.updateTable('audit_entries').set({ created_at: 1 }).execute());
  await use({ token }, '198.51.100.7');

  assert.deepEqual(await signIns(who), [
    ['sign-in.succeeded', 'ada', 'password', '192.0.2.1', '{}'],
    ['sign-in.succeeded', 'ada', 'token', '192.0.2.1', '{}'],
    ['sign-in.succeeded', 'ada', 'token', '198.51.100.7', '{}'],
    ['sign-in.succeeded', 'ada', 'token', '198.51.100.7', '{}'],
  ]);
});

test('a restart of the server repeats no entry of a sign-in', async (t) => {
  const who = await startWho(t);
  const account = await who.account('ada');
  await who.send('GET', '/user', { as: passwordOf('ada'), from: '2001:db8::1' });
  await who.authentication.waitForWrites();

  const restarted = new SignInLog({ database: who.database, now: Date.now });
  const viewer = viewerOf(account, BY_PASSWORD);
  restarted.accepted(viewer, '2001:db8::2');
  restarted.accepted(viewer, '2001:db8:1::1');
  await restarted.waitForWrites();

  assert.deepEqual(
    (await signIns(who)).map(([, , , address]) => address),
    ['2001:db8::1', '2001:db8:1::1'],
  );
});

test('an account that is used from many networks leaves a bounded number of entries an hour', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  const token = await who.token('ada');
  const { auditedSignInsPerHourMax: most } = AUTHENTICATION_LIMITS;

  for (let i = 0; i < most + 5; i += 1)
    await who.send('GET', '/user', { as: { token }, from: `10.0.${i}.1` });
  assert.equal((await signIns(who)).length, most);
  clock.time += HOUR_MS;
  await who.send('GET', '/user', { as: { token }, from: '10.1.0.1' });

  assert.equal((await signIns(who)).length, most + 1);
});

test('failed sign-ins leave entries at the first, the tenth and the hundredth one of an account and network', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  const guess = async (password: string, login = 'ada', from = '192.0.2.1') => {
    await who.send('GET', '/user', { as: { name: login, password }, from });
    await who.authentication.waitForWrites();
  };

  for (let i = 0; i < 12; i += 1) await guess(`guess ${i}`);
  await guess('another', 'ada', '198.51.100.7');
  await guess('my password', 'my-typed-password');

  assert.deepEqual(await signIns(who), [
    ['sign-in.failed', 'ada', 'none', '192.0.2.1', '{"failures":1}'],
    ['sign-in.failed', 'ada', 'none', '192.0.2.1', '{"failures":10}'],
    ['sign-in.failed', 'ada', 'none', '198.51.100.7', '{"failures":1}'],
    ['sign-in.failed', null, 'none', '192.0.2.1', '{"failures":1}'],
  ]);
});

test('failed sign-ins of many accounts leave a bounded number of entries an hour', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  const { auditedFailuresPerHourMax: most } = AUTHENTICATION_LIMITS;

  for (let i = 0; i < most + 5; i += 1) {
    const from = `10.${Math.floor(i / 100)}.${i % 100}.1`;
    await who.send('GET', '/user', { as: { name: 'nobody', password: 'x' }, from });
  }

  assert.equal((await signIns(who)).length, most);
});
