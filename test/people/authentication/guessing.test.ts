import assert from 'node:assert/strict';
import test from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { PASSWORD_COST } from '../../../src/people/accounts/passwords/hash-password.ts';
import { delayAfter, SignInAttempts } from '../../../src/people/authentication/attempts.ts';
import { AUTHENTICATION_LIMITS } from '../../../src/people/authentication/limits.ts';
import { VerifiedPasswords } from '../../../src/people/authentication/verified-passwords.ts';
import { passwordOf, startWho, type Who, type WhoAnswer } from '../../support/forge/who.ts';
import { StillClock } from '../../support/still-clock.ts';
import { until } from '../../support/until.ts';

function guess(who: Who, login: string, password: string, from = '192.0.2.1') {
  return who.send('GET', '/user', { as: { name: login, password }, from });
}

test('A9: the delay after a wrong password grows, on every wire', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  for (let i = 0; i < AUTHENTICATION_LIMITS.failedSignInsFree; i += 1) await guess(who, 'ada', `guess ${i}`);
  assert.deepEqual(clock.waited, []);

  const api = await guess(who, 'ada', 'guess a');
  const git = await who.send('GET', '/git/who', { as: { name: 'ada', password: 'guess b' } });
  const inCapitals = await guess(who, 'ADA', 'guess c');

  assert.deepEqual([api.status, git.status, inCapitals.status], [401, 401, 401]);
  assert.deepEqual(clock.waited, [250, 500, 1000]);
  assert.equal(delayAfter(1_000_000), AUTHENTICATION_LIMITS.failedSignInDelayMsMax);
});

test('A9: a correct password is never delayed and clears the failures of its address', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  for (let i = 0; i < 10; i += 1) await guess(who, 'ada', `guess ${i}`);
  const before = clock.waited.length;

  const right = await who.send('GET', '/user', { as: passwordOf('ada') });
  const wrongAgain = await guess(who, 'ada', 'guess 10');

  assert.deepEqual([right.status, wrongAgain.status], [200, 401]);
  assert.equal(clock.waited.length, before);
});

test('A9: failures count per account and address, and expire', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  for (let i = 0; i < 7; i += 1) await guess(who, 'ada', `guess ${i}`);
  assert.equal(clock.waited.length, 2);

  await guess(who, 'ada', 'guess 7', '192.0.2.2');
  await guess(who, 'root', 'guess 7');
  clock.time += AUTHENTICATION_LIMITS.failedSignInForgetMs;
  await guess(who, 'ada', 'guess 8');

  assert.equal(clock.waited.length, 2);
});

test('A9: an address that a client sends in a header is ignored', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  for (let i = 0; i < 7; i += 1) {
    const headers = { 'x-forwarded-for': `198.51.100.${i}`, 'x-real-ip': `198.51.100.${i}` };
    await who.send('GET', '/user', { as: { name: 'root', password: `guess ${i}` }, headers });
  }

  assert.deepEqual(clock.waited, [250, 500]);
});

test('A9: a guess for an unknown account takes the same work and delay as for a known one', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  await who.account('keyless', { password: null });
  const costs: number[] = [];
  const waits: number[][] = [];
  for (const login of ['ada', 'missing', 'missing@example.org', 'not a name', 'keyless']) {
    const verified = who.hashing.verified;
    const waited = clock.waited.length;
    for (let i = 0; i < 7; i += 1) await guess(who, login, `guess ${i}`);
    costs.push(who.hashing.verified - verified);
    waits.push(clock.waited.slice(waited));
  }

  assert.deepEqual(costs, [7, 7, 7, 7, 7]);
  assert.deepEqual(waits, Array(5).fill([250, 500]));
});

test('A9: no answer shows which e-mail address belongs to which name', async (t) => {
  /** What a guesser sees who tries a name first, and then an e-mail address, also both at once. */
  const seen = async (name: string, email: string) => {
    const clock = new StillClock();
    const who = await startWho(t, { clock });
    await who.account('ada');
    for (let i = 0; i < 7; i += 1) await guess(who, name, `guess ${i}`);
    for (let i = 0; i < 7; i += 1) await guess(who, email, `guess ${i}`);
    // The user signs in meanwhile, from the same network.
    await who.send('GET', '/user', { as: passwordOf('ada'), from: '192.0.2.1' });
    const answers = [await guess(who, email, 'guess 7')];
    const { verified } = who.hashing;
    answers.push(...(await Promise.all([name, email].map((login) => guess(who, login, 'the same guess')))));
    const told = answers.map(({ status, headers, body }) => [status, headers['retry-after'], body.message]);
    return { told, waited: clock.waited, verified: who.hashing.verified - verified };
  };

  const related = await seen('ada', 'ada@example.org');

  assert.deepEqual(related, await seen('ada', 'nobody@example.org'));
  assert.deepEqual(related.waited, [250, 500, 250, 500, 1000, 2000]);
  assert.equal(related.verified, 2);
});

test('A9: guesses for a name take no room from those for an e-mail address', async (t) => {
  const clock = new StillClock({ holds: true });
  const who = await startWho(t, { clock });
  await who.account('ada');
  for (const email of ['ada@example.org', 'nobody@example.org']) {
    const { failedSignInsFree, signInsAtOncePerLoginMax } = AUTHENTICATION_LIMITS;
    const from = email === 'ada@example.org' ? '192.0.2.1' : '192.0.2.2';
    for (let i = 0; i < failedSignInsFree; i += 1) await guess(who, 'ada', `guess ${i}`, from);
    const held = Array.from({ length: signInsAtOncePerLoginMax }, (_, i) =>
      guess(who, 'ada', `guess ${failedSignInsFree + i}`, from),
    );
    await until(() => clock.waiting === signInsAtOncePerLoginMax);
    assert.equal((await guess(who, 'ada', 'one more guess', from)).status, 429);
    assert.equal((await guess(who, email, 'one more guess', from)).status, 401, email);
    clock.goOn();
    await Promise.all(held);
  }
});

test('A9: of 200 concurrent guesses only a few are verified, and the correct password works from another address', async (t) => {
  const who = await startWho(t, { passwordHashing: { cost: PASSWORD_COST } });
  await who.account('ada');

  const guesses = Array.from({ length: 200 }, (_, i) => guess(who, 'ada', `guess ${i}`));
  const right = await who.send('GET', '/user', { as: passwordOf('ada'), from: '192.0.2.9' });
  const answers = await Promise.all(guesses);

  assert.equal(right.status, 200);
  assert.ok(who.hashing.verifyingMost <= AUTHENTICATION_LIMITS.signInsAtOncePerLoginMax + 1);
  assert.ok(who.hashing.verified < 40, `${who.hashing.verified} guesses were verified`);
  assert.deepEqual(statusesOf(answers), [401, 429]);
  assert.equal(answers.find((answer) => answer.status === 429)?.headers['retry-after'], '5');
});

function statusesOf(answers: readonly WhoAnswer[]): readonly number[] {
  return [...new Set(answers.map((answer) => answer.status))].sort();
}

test('A9: an attempt keeps its slot until its delay ends, so that disconnecting early gains nothing', async () => {
  const clock = new StillClock({ holds: true });
  const attempts = new SignInAttempts(clock);
  const attempt = { login: 'ada', lastLoginAt: null, address: '192.0.2.1' };
  const wrong = async () => false;
  for (let i = 0; i < AUTHENTICATION_LIMITS.failedSignInsFree; i += 1) await attempts.run(attempt, wrong);
  const waiting = Array.from({ length: AUTHENTICATION_LIMITS.signInsAtOncePerLoginMax }, () =>
    attempts.run(attempt, wrong),
  );
  await new Promise((resolve) => setImmediate(resolve));

  const tooMany = (error: unknown) =>
    error instanceof ForgeError && error.failure.kind === 'too_many_attempts';
  await assert.rejects(
    attempts.run(attempt, async () => true),
    tooMany,
  );
  assert.equal(await attempts.run({ ...attempt, address: '192.0.2.2' }, async () => true), true);
  clock.goOn();
  assert.deepEqual(
    await Promise.all(waiting),
    Array(AUTHENTICATION_LIMITS.signInsAtOncePerLoginMax).fill(false),
  );
  assert.equal(await attempts.run(attempt, async () => true), true);
});

test('a verified password is not hashed again until it has been unused for some time, and concurrent checks of it hash once', async (t) => {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  await who.account('ada');
  const signIn = () => who.send('GET', '/user', { as: passwordOf('ada') });

  const concurrent = await Promise.all(Array.from({ length: 30 }, signIn));
  await signIn();
  assert.deepEqual(
    concurrent.map((answer) => answer.status),
    Array(30).fill(200),
  );
  assert.equal(who.hashing.verified, 1);

  for (let i = 0; i < 3; i += 1) {
    clock.time += AUTHENTICATION_LIMITS.verifiedCredentialMs - 1;
    await signIn();
  }
  assert.equal(who.hashing.verified, 1);

  clock.time += AUTHENTICATION_LIMITS.verifiedCredentialMs;
  await signIn();
  assert.equal(who.hashing.verified, 2);
});

test('a cached verification is valid only for its account, password and credential version', () => {
  const mine = new VerifiedPasswords();
  const account = { id: 7, credentialVersion: 1 };
  const mark = mine.markOf(account, 'secret');
  mine.remember(mark);

  assert.equal(mine.has(mark), true);
  assert.equal(mine.has(mine.markOf(account, 'Secret')), false);
  assert.equal(mine.has(mine.markOf({ id: 7, credentialVersion: 2 }, 'secret')), false);
  assert.equal(mine.has(mine.markOf({ id: 8, credentialVersion: 1 }, 'secret')), false);
  assert.notEqual(new VerifiedPasswords().markOf(account, 'secret'), mark);
});

test('the time of a sign-in with a password is recorded, but not on every request', async (t) => {
  const who = await startWho(t);
  await who.account('ada');
  const lastLogin = async () => {
    await who.authentication.waitForWrites();
    return (await who.accounts.findByName('ada'))?.lastLoginAt ?? null;
  };
  await who.send('GET', '/user', { as: { token: await who.token('ada') } });
  assert.equal(await lastLogin(), null);

  await who.send('GET', '/user', { as: passwordOf('ada') });
  const first = await lastLogin();
  await who.send('GET', '/user', { as: passwordOf('ada') });

  assert.notEqual(first, null);
  assert.equal(await lastLogin(), first);
});
