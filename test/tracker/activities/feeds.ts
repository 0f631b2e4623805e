import assert from 'node:assert/strict';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import type { Wire } from '../issues/tracker.ts';

interface Reader {
  get(path: string): Promise<{ status: number; body: Wire; text: string }>;
}

/** Waits until everything that has happened so far is in the feeds. */
export function recorded(forge: TestForge): Promise<void> {
  return forge.forge.running.services.activityRecorder.catchUp();
}

/** Reads a feed, the latest first. */
export async function feedAt(reader: Reader, path: string): Promise<readonly Wire[]> {
  const { status, body, text } = await reader.get(path);
  assert.equal(status, 200, text);
  return body;
}

/** What most tests compare: type, actor and content, the earliest first. */
export async function actsAt(reader: Reader, path: string): Promise<readonly string[]> {
  const feed = await feedAt(reader, path);
  return feed
    .map(({ op_type, act_user, content, ref_name }: Wire) =>
      [op_type, act_user.login, ref_name, content.startsWith('{') ? '{}' : content]
        .filter((part) => part !== '')
        .join(' '),
    )
    .toReversed();
}

export function feedOf(path: string): string {
  return `/api/v1/repos/${path}/activities/feeds?limit=50`;
}

export function feedOfUser(person: Person | string, query = 'limit=50'): string {
  return `/api/v1/users/${typeof person === 'string' ? person : person.name}/activities/feeds?${query}`;
}
