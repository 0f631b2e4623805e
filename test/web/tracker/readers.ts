import type { TestContext } from 'node:test';
import { PageReader } from '../../support/http/page-reader.ts';
import { startTracker, type Tracker } from '../../tracker/issues/tracker.ts';

/** Forges of the tracker with the browsers of their people. Ada owns `ada/engine`, Ben may write, Cid may only read. */
export interface ReadTracker extends Tracker {
  readonly browsers: Readonly<Record<'ada' | 'ben' | 'cid' | 'nobody', PageReader>>;
}

export async function startReaders(
  t: TestContext,
  repository: Record<string, unknown> = {},
): Promise<ReadTracker> {
  const tracker = await startTracker(t, repository);
  const { forge, ada, ben, cid } = tracker;
  const browsers = {
    ada: new PageReader(forge),
    ben: new PageReader(forge),
    cid: new PageReader(forge),
    nobody: new PageReader(forge),
  };
  for (const person of [ada, ben, cid]) await browsers[person.name as 'ada' | 'ben' | 'cid'].signIn(person);
  return { ...tracker, browsers };
}

/** Text that would run as a script if a page did not escape it. */
export const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>';

/** Sends a form with fields of the same name, such as boxes of a list. */
export function manyFields(...fields: readonly [string, string][]) {
  return {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  };
}
