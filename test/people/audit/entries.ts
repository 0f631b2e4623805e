import type { TestForge } from '../../support/forge/forge.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
export type Entry = any;

/** Lists entries of the whole site, the newest first. */
export async function entriesOf(forge: TestForge, query = ''): Promise<readonly Entry[]> {
  await forge.forge.running.services.authentication.waitForWrites();
  const { status, body, text } = await forge.root.get(`/api/v1/admin/audit?limit=200${query}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.entries;
}

/** The entries of a forge as a test makes them. */
export class EntryLog {
  readonly #forge: TestForge;
  readonly #seen = new Set<number>();

  constructor(forge: TestForge) {
    this.#forge = forge;
  }

  /** Returns the entries since the last call, in the order of their ids, without sign-ins. */
  async next(): Promise<readonly Entry[]> {
    const entries = await entriesOf(this.#forge);
    const fresh = entries.filter(({ id }: Entry) => !this.#seen.has(id));
    for (const { id } of fresh) this.#seen.add(id);
    return fresh
      .filter(({ action }: Entry) => !action.startsWith('sign-in.'))
      .sort((one: Entry, other: Entry) => one.id - other.id);
  }
}
