import type { Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import type { Db } from '../../base/database/database.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { PROTECTION_LIMITS } from './limits.ts';
import { LIST_PURPOSES, type ListPurpose, type ProtectionEdit } from './model.ts';
import { findListedAccounts, findListedTeams } from './store/lists.ts';

/** Ids of the users and teams that an edit names. Absent lists stay unchanged. */
interface FoundLists {
  readonly accounts: ReadonlyMap<ListPurpose, readonly number[]>;
  readonly teams: ReadonlyMap<ListPurpose, readonly number[]>;
}

/**
 * Finds the users and teams that an edit names.
 *
 * @throws ForgeError `invalid`, the same for a name that is missing and for one that is hidden from the viewer
 */
export async function findLists(
  db: Db,
  viewer: Viewer,
  repository: Pick<Repository, 'id' | 'owner'>,
  { lists }: ProtectionEdit,
): Promise<FoundLists> {
  const named = (part: 'accounts' | 'teams') =>
    new Map(LIST_PURPOSES.flatMap((purpose) => pairOf(purpose, lists[purpose]?.[part])));
  const [accounts, teams] = [named('accounts'), named('teams')];
  const knownAccounts = await findListedAccounts(db, viewer, allOf(accounts));
  const knownTeams = await findListedTeams(db, viewer, repository, allOf(teams));
  return { accounts: idsOf(accounts, knownAccounts, 'user'), teams: idsOf(teams, knownTeams, 'team') };
}

function pairOf(purpose: ListPurpose, names: readonly string[] | undefined) {
  if (names === undefined) return [];
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  if (lower.length > PROTECTION_LIMITS.protectionListMax) {
    throw invalid(`a list of a protection has at most ${PROTECTION_LIMITS.protectionListMax} names`);
  }
  return [[purpose, lower] as const];
}

function allOf(named: ReadonlyMap<ListPurpose, readonly string[]>): readonly string[] {
  // No account or team has such a name, and PostgreSQL rejects the character.
  return [...new Set([...named.values()].flat())].filter((name) => !name.includes('\0'));
}

function idsOf(
  named: ReadonlyMap<ListPurpose, readonly string[]>,
  known: ReadonlyMap<string, number>,
  what: 'user' | 'team',
): ReadonlyMap<ListPurpose, readonly number[]> {
  return new Map(
    [...named].map(([purpose, names]) => [purpose, names.map((name) => requireKnown(known, name, what))]),
  );
}

function requireKnown(known: ReadonlyMap<string, number>, name: string, what: 'user' | 'team'): number {
  const id = known.get(name);
  if (id === undefined) throw invalid(`there is no ${what} ${name}`);
  return id;
}
