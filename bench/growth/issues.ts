import { type Fragment, fragment, joined } from '../../src/base/database/fragment.ts';
import { query } from '../../src/base/database/query.ts';
import { makeTracker } from '../corpus/tracker.ts';
import type { Ground, Work } from './model.ts';
import { counter, expect, get } from './work.ts';

const SHARE_IN_ONE = 10;
const ROWS_AT_ONCE = 500;
const UNREAD = 50;

/** A tenth of the issues is in one repository, and the administrator has a notification about each of these. */
export async function makeIssues({ database, forge }: Ground, size: number): Promise<readonly Work[]> {
  const idAt = async (...asked: readonly [method: string, path: string, status: number, json?: unknown]) =>
    (JSON.parse(`${(await expect(forge, ...asked)).body}`) as { id: number }).id;
  const user = await idAt('GET', '/api/v1/user', 200);
  const guild = await idAt('POST', '/api/v1/orgs', 201, { username: 'guild' });
  const crew = await idAt('POST', '/api/v1/orgs', 201, { username: 'crew' });
  await makeTracker(database, { user, guild, crew }, { issues: size, inOne: size / SHARE_IN_ONE });
  await notify(database, user);
  // The server has closed the connection meanwhile.
  await forge.ask('GET', '/api/v1/version').catch(() => {});
  const at = `${forge.repositoryPath('large')}/issues`;
  const next = counter();
  return [
    get(forge, 'an issue', `${at}/50`),
    get(forge, 'the comments of an issue', `${at}/51/comments`),
    get(forge, 'the timeline of an issue', `${at}/51/timeline`),
    get(forge, 'a page of the issues of a repository', `${at}?state=all&limit=50`),
    {
      about: 'creating an issue',
      run: () => expect(forge, 'POST', at, 201, { title: `Pump ${next()}`, body: 'See #7 and ask @user-7.' }),
    },
    {
      about: 'a comment on an issue',
      run: () => expect(forge, 'POST', `${at}/50/comments`, 201, { body: `Rattles ${next()}` }),
    },
    {
      about: 'closing an issue, and opening it again',
      run: async () => {
        await expect(forge, 'PATCH', `${at}/52`, 201, { state: 'closed' });
        await expect(forge, 'PATCH', `${at}/52`, 201, { state: 'open' });
      },
    },
    get(forge, 'a page of notifications', '/api/v1/notifications?limit=50'),
    get(forge, 'a page of notifications of a repository', `${forge.repositoryPath('large')}/notifications`),
    get(forge, 'the number of unread notifications', '/api/v1/notifications/new'),
  ];
}

/** Most are read, as are those of a user who keeps up. */
async function notify(database: Ground['database'], account: number): Promise<void> {
  const large = fragment`(select id from repositories where lower_name = 'large')`;
  const rows = await query<{ id: number; repository_id: number; updated_at: number }>(
    database.reader,
    fragment`select id, repository_id, updated_at from issues where repository_id = ${large}`,
  );
  const thread = (row: (typeof rows)[number], index: number): Fragment =>
    fragment`(${account}, ${row.id}, ${row.repository_id}, ${index < rows.length - UNREAD ? 2 : 1}, 0, ${row.updated_at})`;
  await database.transaction(async (tx) => {
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
      const threads = rows.slice(first, first + ROWS_AT_ONCE).map((row, at) => thread(row, first + at));
      await query(
        tx,
        fragment`insert into notification_threads
          (account_id, issue_id, repository_id, status, event_position, updated_at) values ${joined(threads, ', ')}`,
      );
    }
  });
}
