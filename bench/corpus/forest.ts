import type { Database, Tx } from '../../src/base/database/database.ts';
import { columnsOfUnits, NEW_UNITS } from '../../src/hosting/repositories/units.ts';

export const REPOSITORIES = 100_000;
const REPOSITORIES_PER_OWNER = 50;
const ROWS_AT_ONCE = 100;
const KINDS = ['alpha', 'beta', 'gamma', 'engine', 'parser', 'table', 'kernel', 'light', 'stone', 'river'];

export interface ForestRepository {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  readonly isPrivate: boolean;
}

/**
 * Creates repositories that exist only as rows. One in 25 belongs to an organization; of these, one in four is private,
 * and of the others one in 50. Of all names, half contain `service`, one in 1,000 `zephyr`, one in 5,000 `qz`.
 *
 * @param organizationId owns its share; this creates users who own the others, about 50 each
 */
export async function makeForest(
  database: Database,
  organizationId: number,
  count = REPOSITORIES,
): Promise<readonly ForestRepository[]> {
  return database.transaction(async (tx) => {
    const owners = await makeOwners(tx, count / REPOSITORIES_PER_OWNER);
    const ownerOf = (index: number) => owners[(index * 7_919) % owners.length] ?? 0;
    const repositories = Array.from({ length: count }, (_, index) =>
      repositoryAt(index, { ownerId: index % 25 === 0 ? organizationId : ownerOf(index), count }),
    );
    for (let first = 0; first < count; first += ROWS_AT_ONCE)
      await insert(tx, repositories.slice(first, first + ROWS_AT_ONCE));
    return repositories;
  });
}

async function makeOwners(tx: Tx, count: number): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const length = Math.min(ROWS_AT_ONCE, count - first);
    const rows = Array.from({ length }, (_, index) => ownerRow(`owner-${first + index}`));
    const made = await tx.insertInto('accounts').values(rows).returning('id').execute();
    ids.push(...made.map((row) => row.id));
  }
  return ids;
}

function ownerRow(name: string) {
  return {
    kind: 'user' as const,
    name,
    lower_name: name,
    full_name: '',
    email: '',
    lower_email: null,
    password_hash: null,
    created_at: 0,
    updated_at: 0,
    last_login_at: null,
  };
}

function repositoryAt(
  index: number,
  { ownerId, count }: { readonly ownerId: number; readonly count: number },
): ForestRepository {
  const isOfOrganization = index % 25 === 0;
  // The alphabetical order differs from that of the ids.
  const number = String((index * 7_919) % count).padStart(5, '0');
  const kind = KINDS[index % 7] ?? '';
  const middle = index % 1_000 === 7 ? 'zephyr' : index % 5_000 === 9 ? 'qz' : kind;
  return {
    id: 1_000 + index,
    ownerId,
    name: `${KINDS[(index * 31) % 10] ?? ''}-${index % 2 === 0 ? 'service' : middle}-${number}`,
    isPrivate: isOfOrganization ? index % 100 === 0 : index % 50 === 3,
  };
}

async function insert(tx: Tx, repositories: readonly ForestRepository[]): Promise<void> {
  const inGit = repositories.map(({ id }) => ({
    id,
    object_format: 'sha1' as const,
    head: 'refs/heads/main',
  }));
  await tx.insertInto('git_repositories').values(inGit).execute();
  const rows = repositories.map(({ id, ownerId, name, isPrivate }) => ({
    id,
    owner_id: ownerId,
    name,
    lower_name: name,
    description: `A ${KINDS[id % 10] ?? ''} that is kept for what it does with a ${KINDS[id % 9] ?? ''}, number ${id}`,
    topics: id % 3 === 0 ? `${KINDS[id % 8] ?? ''} tool` : '',
    is_private: isPrivate ? 1 : 0,
    archived_at: null,
    ...columnsOfUnits(NEW_UNITS),
    created_at: id,
    updated_at: (id * 7_919) % REPOSITORIES,
  }));
  await tx.insertInto('repositories').values(rows).execute();
}
