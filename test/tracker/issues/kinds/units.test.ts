import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../../support/forge/forge.ts';
import { attach, pathOf } from '../attachments/attachment-files.ts';
import type { Wire } from '../tracker.ts';
import { ENGINE, ISSUE, ISSUES, type Mixed, PULL, startMixed } from './mixed.ts';

interface Place {
  /** address of the issue or the pull request */
  readonly one: string;
  /** address of its comment */
  readonly comment: string;
  /** path of the bytes of its attachment */
  readonly file: string;
}

type Calls = readonly (readonly [method: string, urlOf: (place: Place) => string, json?: object])[];

/** A read of each family of routes. */
const READS: Calls = [
  ['GET', ({ one }) => one],
  ['GET', ({ one }) => `${one}/comments`],
  ['GET', ({ one }) => `${one}/timeline`],
  ['GET', ({ one }) => `${one}/labels`],
  ['GET', ({ one }) => `${one}/reactions`],
  ['GET', ({ one }) => `${one}/assets`],
  ['GET', ({ one }) => `${one}/subscriptions`],
  ['GET', ({ one }) => `${one}/subscriptions/check`],
  ['GET', ({ one }) => `${one}/dependencies`],
  ['GET', ({ one }) => `${one}/blocks`],
  ['GET', ({ one }) => `${one}/times`],
  ['GET', ({ comment }) => comment],
  ['GET', ({ comment }) => `${comment}/reactions`],
  ['GET', ({ comment }) => `${comment}/assets`],
  ['GET', ({ file }) => file],
];

/** Changes that every reader may make. */
const READERS_CHANGES: Calls = [
  ['POST', ({ one }) => `${one}/comments`, { body: 'New' }],
  ['POST', ({ one }) => `${one}/reactions`, { content: '+1' }],
  ['POST', ({ comment }) => `${comment}/reactions`, { content: '+1' }],
];

/** Changes that only people who may write can make. */
const WRITERS_CHANGES: Calls = [
  ['PATCH', ({ one }) => one, { body: 'Changed' }],
  ['PATCH', ({ comment }) => comment, { body: 'Changed' }],
  ['POST', ({ one }) => `${one}/deadline`, { due_date: null }],
  ['PUT', ({ one }) => `${one}/lock`, {}],
  ['DELETE', ({ one }) => `${one}/lock`],
  ['DELETE', ({ one }) => `${one}/labels`, {}],
  ['POST', ({ one }) => `${one}/times`, { time: 60 }],
  ['POST', ({ one }) => `${one}/stopwatch/start`],
  ['POST', ({ one }) => `${one}/stopwatch/stop`],
  ['PATCH', ({ one }) => one, { state: 'closed' }],
  ['PATCH', ({ one }) => one, { state: 'open' }],
];

const OWNERS_CHANGES: Calls = [
  ['POST', ({ one }) => `${one}/pin`],
  ['PATCH', ({ one }) => `${one}/pin/1`],
  ['DELETE', ({ one }) => `${one}/pin`],
];

async function placeOf({ ada, comments }: Mixed, number: number): Promise<Place> {
  const one = `${ISSUES}/${number}`;
  return {
    one,
    comment: `${ISSUES}/comments/${comments[number]}`,
    file: pathOf(await attach(ada, `${one}/assets`)),
  };
}

/** Sends calls one after another. @returns those whose status is not the expected one */
async function unexpected(
  who: Person,
  calls: Calls,
  place: Place,
  expected: (status: number) => boolean,
): Promise<readonly Wire[]> {
  const found: Wire[] = [];
  for (const [method, urlOf, json] of calls) {
    const { status, text } = await who.send(method, urlOf(place), { json });
    if (!expected(status)) found.push([who.name, method, urlOf(place), status, text]);
  }
  return found;
}

const succeeds = (status: number) => status < 300;
const isMissing = (status: number) => status === 404;
const isForbidden = (status: number) => status === 403;

test('a team gives access to issues or to pull requests: the other kind is missing', async (t) => {
  const mixed = await startMixed(t);
  const { ida, pia, bob, ada } = mixed;
  const [issue, pull] = [await placeOf(mixed, ISSUE), await placeOf(mixed, PULL)];
  const all = [...READS, ...READERS_CHANGES, ...WRITERS_CHANGES];

  for (const [who, own, other] of [
    [ida, issue, pull],
    [pia, pull, issue],
  ] as const) {
    assert.deepEqual(await unexpected(who, all, own, succeeds), []);
    assert.deepEqual(await unexpected(who, OWNERS_CHANGES, own, isForbidden), []);
    assert.deepEqual(await unexpected(who, all, other, isMissing), []);
  }
  for (const place of [issue, pull]) {
    assert.deepEqual(await unexpected(bob, [...READS, ...READERS_CHANGES], place, succeeds), []);
    assert.deepEqual(await unexpected(bob, WRITERS_CHANGES, place, isForbidden), []);
    assert.deepEqual(await unexpected(ada, OWNERS_CHANGES, place, succeeds), []);
  }
  assert.equal((await pia.post(ISSUES, { title: 'New' })).status, 403);
});

test('a kind that is switched off is missing, and the other kind works', async (t) => {
  const mixed = await startMixed(t);
  const { ada } = mixed;
  const [issue, pull] = [await placeOf(mixed, ISSUE), await placeOf(mixed, PULL)];
  const all = [...READS, ...READERS_CHANGES, ...WRITERS_CHANGES, ...OWNERS_CHANGES];
  const tracker = { external_tracker_url: 'https://tracker.example.org' };

  for (const [settings, shown, missing] of [
    [{ has_issues: false }, pull, issue],
    [{ has_issues: true, external_tracker: tracker }, pull, issue],
    [{ has_issues: true, internal_tracker: {}, has_pull_requests: false }, issue, pull],
  ] as const) {
    assert.equal((await ada.patch(ENGINE, settings)).status, 200);
    assert.deepEqual(await unexpected(ada, all, missing, isMissing), []);
    assert.deepEqual(await unexpected(ada, all, shown, succeeds), []);
  }
  await ada.patch(ENGINE, { has_issues: false });
  assert.deepEqual(await unexpected(ada, all, issue, isMissing), []);
  assert.equal((await ada.get(ISSUES)).status, 404);
});

test('a dependency between an issue and a pull request shows to those who may read both', async (t) => {
  const { ada, ida, pia, bob } = await startMixed(t);
  const numbers = async (who: Person, url: string) =>
    (await who.get(`${ISSUES}/${url}`)).body.map(({ number }: Wire) => number);
  const depend = (who: Person, number: number, index: number) =>
    who.post(`${ISSUES}/${number}/dependencies`, { index });

  assert.equal((await depend(ida, ISSUE, PULL)).status, 404, 'the other kind is hidden');
  assert.equal((await depend(ada, ISSUE, PULL)).status, 201);
  assert.deepEqual(await numbers(bob, `${ISSUE}/dependencies`), [PULL]);
  assert.deepEqual(await numbers(bob, `${PULL}/blocks`), [ISSUE]);
  assert.deepEqual(await numbers(ida, `${ISSUE}/dependencies`), []);
  assert.deepEqual(await numbers(pia, `${PULL}/blocks`), []);
  assert.equal((await ada.patch(`${ISSUES}/${ISSUE}`, { state: 'closed' })).status, 412);
  await ada.patch(ENGINE, { has_pull_requests: false });
  assert.equal((await ada.patch(`${ISSUES}/${ISSUE}`, { state: 'closed' })).status, 201);
});

test('only an issue is created as one, and DELETE deletes either kind', async (t) => {
  const { ada } = await startMixed(t);
  for (const number of [ISSUE, PULL]) {
    assert.equal((await ada.delete(`${ISSUES}/${number}`)).status, 204);
    assert.equal((await ada.get(`${ISSUES}/${number}`)).status, 404);
  }
  const { open_issues_count, open_pr_counter } = (await ada.get(ENGINE)).body;
  assert.deepEqual([open_issues_count, open_pr_counter], [0, 0]);
  assert.equal((await ada.get(`${ENGINE}/pulls/${PULL}`)).status, 404);
});
