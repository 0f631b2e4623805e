import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT_LIMITS } from '../../../src/people/accounts/limits.ts';
import { AUTHENTICATION_LIMITS } from '../../../src/people/authentication/limits.ts';
import { passwordOf, startWho, type Who, type WhoAnswer } from '../../support/forge/who.ts';
import { StillClock } from '../../support/still-clock.ts';
import { until } from '../../support/until.ts';

const HOME = '198.51.100.1';
/** The number of lanes in which sign-ins wait. */
const LANES = 4;

interface Guess {
  readonly login: string;
  readonly password: string;
  readonly from: string;
}

function send(who: Who, { login, password, from }: Guess): Promise<WhoAnswer> {
  return who.send('GET', '/user', { as: { name: login, password }, from });
}

function signIn(who: Who, login: string, from: string): Promise<WhoAnswer> {
  return who.send('GET', '/user', { as: passwordOf(login), from });
}

function guesses(count: number, guessOf: (i: number) => Partial<Guess>): readonly Guess[] {
  return Array.from({ length: count }, (_, i) => ({
    login: `name${i}`,
    password: `guess ${i}`,
    from: strangeAddress(i),
    ...guessOf(i),
  }));
}

/** Returns an address in a network of its own. */
function strangeAddress(i: number): string {
  return `10.${i >> 8}.${i & 255}.1`;
}

/**
 * Lets guesses fill the queue and then signs in.
 *
 * @returns how many guesses are hashed before the honest password
 */
async function guessesBefore(
  who: Who,
  sent: readonly Guess[],
  honest: { login: string; from: string },
): Promise<number> {
  const before = who.hashing.computed.length;
  who.hashing.pause();
  let rejected = 0;
  const answers = sent.map(async (guess) => {
    const { status } = await send(who, guess);
    if (status !== 401) rejected += 1;
    return status;
  });
  await until(() => who.hashing.verifying + rejected === sent.length);
  const answer = signIn(who, honest.login, honest.from);
  await until(() => who.hashing.verifying + rejected === sent.length + 1);
  who.hashing.goOn();
  assert.equal((await answer).status, 200);
  for (const status of await Promise.all(answers)) assert.ok(status === 401 || status === 503);
  return who.hashing.computed.slice(before).indexOf(`pw of ${honest.login}`);
}

/** Starts with an account whose cached verification has expired. */
async function startWithFamiliar(t: Parameters<typeof startWho>[0], names: readonly string[]): Promise<Who> {
  const clock = new StillClock();
  const who = await startWho(t, { clock });
  for (const name of names) {
    await who.account(name);
    await signIn(who, name, HOME);
  }
  clock.time += AUTHENTICATION_LIMITS.verifiedCredentialMs;
  return who;
}

test('A9: guesses from 300 networks do not delay a user who returns', async (t) => {
  const who = await startWithFamiliar(t, ['ada']);
  const sent = guesses(300, () => ({}));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: HOME })) <= LANES);
});

test('A9: guesses at one account from 300 networks do not delay its user, who returns', async (t) => {
  const who = await startWithFamiliar(t, ['ada']);
  const sent = guesses(300, () => ({ login: 'ada' }));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: HOME })) <= LANES);
});

test('A9: guesses from 300 networks do not delay a user who signs in from a new network', async (t) => {
  const who = await startWithFamiliar(t, ['ada', 'grace']);
  const sent = guesses(300, (i) => (i % 2 === 0 ? {} : { login: 'grace' }));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: '203.0.113.9' })) <= LANES);
});

test('A9: a restarted server knows recent users by their recorded sign-in', async (t) => {
  const clock = new StillClock();
  clock.time = Date.now();
  const who = await startWho(t, { clock });
  const { id } = await who.account('ada');
  await who.accounts.recordSignIn(id, clock.time);
  const sent = guesses(300, () => ({}));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: HOME })) <= LANES);
});

test('A9: many guesses from one network do not delay users of other networks', async (t) => {
  const who = await startWithFamiliar(t, ['ada']);
  const networks: readonly ((i: number) => string)[] = [
    () => HOME,
    () => '192.0.2.1',
    (i) => `2001:db8::${i + 1}`,
  ];
  for (const [index, addressOf] of networks.entries()) {
    const login = `new${index}`;
    await who.account(login);
    const sent = guesses(300, (i) => ({ from: addressOf(i) }));
    const waited = await guessesBefore(who, sent, { login, from: `203.0.113.${index}` });
    assert.ok(waited <= LANES, `${waited} guesses from ${addressOf(0)} came first`);
  }
});

test('A9: behind one network, an account with many wrong passwords does not delay the others', async (t) => {
  const who = await startWho(t, { clock: new StillClock() });
  await who.account('ada');
  await who.account('grace');
  const sent = guesses(AUTHENTICATION_LIMITS.signInsAtOncePerLoginMax, () => ({
    login: 'grace',
    from: HOME,
  }));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: HOME })) <= 2);
});

test('A9: guesses at many familiar accounts leave room in the queue for a user who returns', async (t) => {
  const clock = new StillClock();
  clock.time = Date.now();
  const who = await startWho(t, { clock });
  const most = ACCOUNT_LIMITS.passwordHashQueueMax + 1;
  const names = Array.from(
    { length: Math.ceil(most / ACCOUNT_LIMITS.passwordHashQueuePerCallerMax) },
    (_, i) => `user${i}`,
  );
  for (const name of names) await who.accounts.recordSignIn((await who.account(name)).id, clock.time);
  await who.account('ada');
  await signIn(who, 'ada', HOME);
  clock.time += AUTHENTICATION_LIMITS.verifiedCredentialMs;
  const sent = guesses(most, (i) => ({ login: `user${i % names.length}` }));

  assert.ok((await guessesBefore(who, sent, { login: 'ada', from: HOME })) <= LANES);
});

test('A9: strangers fill at most a quarter of the queue, and are rejected with a time to try again', async (t) => {
  const who = await startWithFamiliar(t, ['ada']);
  who.hashing.pause();
  const most = ACCOUNT_LIMITS.passwordHashQueuePerLaneMax + 1;
  const waiting = guesses(most, () => ({})).map((guess) => send(who, guess));
  await until(() => who.hashing.verifying === most);

  const rejected = await send(who, { login: 'late', password: 'guess', from: '203.0.113.1' });
  const returning = signIn(who, 'ada', HOME);
  await until(() => who.hashing.verifying === most + 1);
  who.hashing.goOn();

  assert.deepEqual([rejected.status, rejected.headers['retry-after']], [503, '5']);
  assert.equal((await returning).status, 200);
  assert.equal((await Promise.all(waiting)).filter(({ status }) => status !== 401).length, 0);
});
