import { type DatabaseLocation, openDatabase } from '../../src/base/database/open.ts';

/** The database rows of one repository, the source of truth. */
export interface Rows {
  readonly id: number;
  readonly head: string;
  /** only refs that exist */
  readonly refs: ReadonlyMap<string, string>;
  /** the last oid of each ref according to the events; null if deleted */
  readonly recorded: ReadonlyMap<string, string | null>;
}

export async function readRows(location: DatabaseLocation, name: string): Promise<Rows> {
  const database = openDatabase(location);
  try {
    const db = database.reader;
    const { id, head } = await db
      .selectFrom('repositories')
      .innerJoin('git_repositories', 'git_repositories.id', 'repositories.id')
      .select(['repositories.id', 'head'])
      .where('repositories.lower_name', '=', name)
      .executeTakeFirstOrThrow();
    const refs = await db
      .selectFrom('git_refs')
      .select(['name', 'oid'])
      .where('repository_id', '=', id)
      .where('oid', 'is not', null)
      .execute();
    const events = await db
      .selectFrom('events')
      .select('payload')
      .where('repository_id', '=', id)
      .where('kind', '=', 'refs.changed')
      .orderBy('position')
      .execute();
    return {
      id,
      head,
      refs: new Map(refs.map((ref) => [ref.name, ref.oid ?? ''])),
      recorded: lastMoves(events.map((event) => event.payload)),
    };
  } finally {
    await database.close();
  }
}

function lastMoves(payloads: readonly string[]): ReadonlyMap<string, string | null> {
  const recorded = new Map<string, string | null>();
  for (const payload of payloads) {
    const { updates } = JSON.parse(payload) as { updates: { ref: string; new: string | null }[] };
    for (const update of updates) recorded.set(update.ref, update.new);
  }
  return recorded;
}

/** Returns refs whose row differs from their last event, although one transaction writes both. */
export function unrecordedMoves(rows: Rows): readonly string[] {
  const names = new Set([...rows.refs.keys(), ...rows.recorded.keys()]);
  return [...names].flatMap((ref) => {
    const at = rows.refs.get(ref) ?? null;
    const recorded = rows.recorded.get(ref) ?? null;
    return at === recorded ? [] : [`${ref} is at ${at}, but at ${recorded} in its last event`];
  });
}
