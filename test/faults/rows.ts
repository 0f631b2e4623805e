import { type DatabaseLocation, openDatabase } from '../../src/database/open.ts';

/** The database rows of one repository, the source of truth. */
export interface Rows {
  readonly id: number;
  readonly head: string;
  /** the existing ones */
  readonly refs: ReadonlyMap<string, string>;
  /** state according to events: the last oid of each ref, null if deleted */
  readonly told: ReadonlyMap<string, string | null>;
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
      told: lastMoves(events.map((event) => event.payload)),
    };
  } finally {
    await database.close();
  }
}

function lastMoves(payloads: readonly string[]): ReadonlyMap<string, string | null> {
  const told = new Map<string, string | null>();
  for (const payload of payloads) {
    const { updates } = JSON.parse(payload) as { updates: { ref: string; new: string | null }[] };
    for (const update of updates) told.set(update.ref, update.new);
  }
  return told;
}

/** One transaction writes a ref and the event of its move, so neither exists without the other. */
export function untoldMoves(rows: Rows): readonly string[] {
  const names = new Set([...rows.refs.keys(), ...rows.told.keys()]);
  return [...names].flatMap((ref) => {
    const at = rows.refs.get(ref) ?? null;
    const told = rows.told.get(ref) ?? null;
    return at === told ? [] : [`${ref} is at ${at}, and the last event about it says ${told}`];
  });
}
