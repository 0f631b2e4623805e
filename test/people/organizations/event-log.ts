import type { Database } from '../../../src/base/database/database.ts';
import { readEvents } from '../../../src/base/events/store.ts';

/** Kind, actor and payload of an event. Names replace account ids, because a test cannot predict ids. */
export type ExpectedEvent = readonly [kind: string, actor: string | null, payload: object];

/** Reads the events since the previous read. */
export class EventLog {
  readonly #database: Database;
  #position = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async next(): Promise<readonly unknown[]> {
    const { events, position } = await readEvents(this.#database.reader, {
      after: this.#position,
      limit: 500,
    });
    this.#position = position;
    const rows = await this.#database.reader.selectFrom('accounts').select(['id', 'name']).execute();
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return events.map(({ kind, actorId, payload }) => {
      const {
        organizationId: _,
        teamId: __,
        tokenId: ___,
        applicationId: ____,
        ...rest
      } = payload as Record<string, unknown>;
      for (const part of ['accountId', 'blockedId'])
        if (typeof rest[part] === 'number') rest[part] = names.get(rest[part]) ?? '?';
      return [kind, actorId === null ? null : (names.get(actorId) ?? '?'), rest];
    });
  }
}
