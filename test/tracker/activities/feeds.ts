import assert from 'node:assert/strict';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import type { Wire } from '../issues/tracker.ts';

interface Reader {
  get(path: string): Promise<{ status: number; body: Wire; text: string }>;
}

/** Waits until everything that has happened so far is in the feeds: events become activities in their order. */
export async function recorded(forge: TestForge): Promise<void> {
  const { database } = forge.forge.running.engines;
  const newest = await database.reader
    .selectFrom('events')
    .select((event) => event.fn.max('position').as('position'))
    .executeTakeFirst();
  const signal = await forge.root.post('/api/v1/user/repos', { name: `signal-${newest?.position}` });
  assert.equal(signal.status, 201, signal.text);
  await until(async () => {
    const { body } = await forge.root.get(
      `/api/v1/repos/root/signal-${newest?.position}/activities/feeds?limit=1`,
    );
    return body.length > 0;
  });
}

/** Reads a feed, the latest first, without the signals of `recorded`. */
export async function feedAt(reader: Reader, path: string): Promise<readonly Wire[]> {
  const { status, body, text } = await reader.get(path);
  assert.equal(status, 200, text);
  return body.filter(({ repo }: Wire) => !repo.name.startsWith('signal-'));
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
