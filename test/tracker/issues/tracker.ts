import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
export type Wire = any;

export const ENGINE = '/api/v1/repos/ada/engine';
export const ISSUES = `${ENGINE}/issues`;

/** A public repository `ada/engine`. Ben may write, Cid is signed in and may only read. */
export interface Tracker {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly ben: Person;
  readonly cid: Person;
}

export async function startTracker(
  t: TestContext,
  repository: Record<string, unknown> = {},
): Promise<Tracker> {
  const forge = await startForge(t);
  const [ada, ben, cid] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cid'),
  ];
  await ada.repository('engine', repository);
  const added = await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  assert.equal(added.status, 204, added.text);
  return { forge, ada, ben, cid };
}

/** Creates an issue and returns its record. */
export async function open(who: Person, title: string, fields: object = {}, at = ISSUES): Promise<Wire> {
  const created = await who.post(at, { title, ...fields });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** Lists issues, and returns their numbers. */
export async function numbersAt(who: Person | TestForge, url: string): Promise<readonly number[]> {
  const answer = await who.get(url);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(({ number }: Wire) => number);
}
