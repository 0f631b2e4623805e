import { sql } from 'kysely';
import type { Database, Tx } from '../../../src/base/database/database.ts';
import { columnsOfUnits, NEW_UNITS } from '../../../src/hosting/repositories/units.ts';

/** Pseudorandom numbers that are the same in every run. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns an integer from 0 to `sides - 1`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * sides);
  }

  /** Returns 1 with a probability of 1 in `sides`, and 0 otherwise. */
  flag(sides: number): 0 | 1 {
    return this.roll(sides) === 0 ? 1 : 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.roll(items.length)];
    if (item === undefined) throw new Error('cannot pick from an empty list');
    return item;
  }
}

const VISIBILITIES = ['public', 'public', 'limited', 'private'] as const;
export const WORDS = ['oak', 'elm', 'ash', 'fir', 'Öl', 'a%b', 'c_d', 'x'] as const;
export const TOPICS = ['go', 'tree', 'c', 'elm'] as const;

export interface World {
  readonly people: readonly number[];
  readonly organizations: readonly number[];
  readonly repositories: readonly number[];
  readonly teams: readonly number[];
  readonly tokens: readonly number[];
}

/** Inserts rows of random users, organizations, teams and repositories. No git repository exists. */
export async function makeWorld(database: Database, dice: Dice): Promise<World> {
  return database.transaction(async (tx) => {
    const people = await makeAccounts(tx, dice, 'user', 4);
    const organizations = await makeAccounts(tx, dice, 'organization', 3);
    const repositories: number[] = [];
    for (let count = 0; count < 24; count += 1) {
      const parent = repositories.length > 0 && dice.flag(4) ? dice.pick(repositories) : null;
      const ownerId = dice.pick([...people, ...organizations]);
      repositories.push(await makeRepository(tx, dice, { id: count + 1, ownerId, parentId: parent }));
    }
    for (const id of repositories) await makeCollaborations(tx, dice, id, people);
    const teams: number[] = [];
    for (const organization of organizations)
      teams.push(...(await makeTeams(tx, dice, organization, people)));
    const tokens = await makeTokens(tx, dice, people, repositories);
    return { people, organizations, repositories, teams, tokens };
  });
}

async function makeAccounts(
  tx: Tx,
  dice: Dice,
  kind: 'user' | 'organization',
  count: number,
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${kind}-${dice.roll(1000)}-${index}`;
    const row = { kind, name, lower_name: name, full_name: '', email: '', lower_email: null };
    const { id } = await tx
      .insertInto('accounts')
      .values({
        ...row,
        password_hash: null,
        visibility: dice.pick(VISIBILITIES),
        created_at: 0,
        updated_at: 0,
        last_login_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (kind === 'organization')
      await tx.insertInto('organizations').values({ id, repository_admins_change_teams: 0 }).execute();
    ids.push(id);
  }
  return ids;
}

async function makeRepository(
  tx: Tx,
  dice: Dice,
  made: { id: number; ownerId: number; parentId: number | null },
): Promise<number> {
  const { id, ownerId, parentId } = made;
  const name = `${dice.pick(WORDS)}-${dice.pick(WORDS)}-${dice.roll(3)}${id}`;
  const topics = TOPICS.filter(() => dice.flag(3) === 1).toSorted();
  const description = `${dice.pick(WORDS)}, ${dice.pick(WORDS)}`;
  await tx
    .insertInto('git_repositories')
    .values({ id, object_format: 'sha1', head: 'refs/heads/main' })
    .execute();
  await tx
    .insertInto('repositories')
    .values({
      id,
      owner_id: ownerId,
      parent_id: parentId,
      name,
      lower_name: name.toLowerCase(),
      description,
      lower_description: description.toLowerCase(),
      topics: topics.join(' '),
      is_private: dice.flag(3),
      is_template: dice.flag(4),
      is_mirror: dice.flag(4),
      archived_at: dice.flag(4) ? 1 : null,
      size_bytes: dice.roll(4),
      stars_count: dice.roll(4),
      forks_count: dice.roll(4),
      ...columnsOfUnits(NEW_UNITS),
      created_at: dice.roll(5),
      updated_at: dice.roll(5),
    })
    .execute();
  return id;
}

async function makeCollaborations(tx: Tx, dice: Dice, id: number, people: readonly number[]): Promise<void> {
  for (const person of people) {
    const at = { repository_id: id, account_id: person, created_at: 0 };
    if (dice.flag(5))
      await tx
        .insertInto('collaborations')
        .values({ ...at, level: dice.pick(['read', 'write', 'admin'] as const) })
        .execute();
    if (dice.flag(3)) await tx.insertInto('stars').values(at).execute();
  }
}

async function makeTeams(
  tx: Tx,
  dice: Dice,
  organization: number,
  people: readonly number[],
): Promise<readonly number[]> {
  const teams: number[] = [];
  for (let index = 0; index < 2; index += 1) {
    const level = dice.pick([0, 1, 2, 3, 4]);
    const unit = () => dice.pick([null, null, 0, 1, 2]);
    const { id } = await tx
      .insertInto('teams')
      .values({
        organization_id: organization,
        name: `team-${index}`,
        lower_name: `team-${index}`,
        description: '',
        level,
        includes_all_repositories: dice.flag(3),
        can_create_repositories: 0,
        created_at: 0,
        code_level: unit(),
        issues_level: unit(),
        ext_issues_level: null,
        pulls_level: null,
        releases_level: null,
        wiki_level: unit(),
        ext_wiki_level: null,
        projects_level: null,
        packages_level: null,
        actions_level: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    teams.push(id);
    await fillTeam(tx, dice, { id, organization }, people);
  }
  return teams;
}

async function fillTeam(
  tx: Tx,
  dice: Dice,
  team: { id: number; organization: number },
  people: readonly number[],
): Promise<void> {
  for (const person of people.filter(() => dice.flag(2))) {
    const at = { account_id: person, organization_id: team.organization, created_at: 0 };
    await tx
      .insertInto('team_members')
      .values({ ...at, team_id: team.id })
      .execute();
    await tx
      .insertInto('organization_members')
      .values({ ...at, is_public: dice.flag(2) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  // Includes repositories of other owners, on which a team grants nothing.
  await sql`insert into team_repositories (team_id, repository_id, created_at)
    select ${team.id}, id, 0 from repositories where (id * 7 + ${dice.roll(5)}) % 3 = 0`.execute(tx);
}

async function makeTokens(
  tx: Tx,
  dice: Dice,
  people: readonly number[],
  repositories: readonly number[],
): Promise<readonly number[]> {
  const tokens: number[] = [];
  for (const person of people) {
    const { id } = await tx
      .insertInto('tokens')
      .values({
        account_id: person,
        name: 'limited',
        digest: `digest-${person}`,
        last_eight: '',
        scopes: 'all',
        is_limited: 1,
        created_at: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const repository of repositories.filter(() => dice.flag(3)))
      await tx.insertInto('token_repositories').values({ token_id: id, repository_id: repository }).execute();
    tokens.push(id);
  }
  return tokens;
}

/** Changes random columns that affect which repositories a viewer sees, and random names and topics. */
export async function stir(database: Database, dice: Dice, world: World): Promise<void> {
  const { people, organizations, repositories } = world;
  const owners = [...people, ...organizations];
  await database.transaction(async (tx) => {
    for (let count = 0; count < 4; count += 1) {
      const change = tx.updateTable('repositories').where('id', '=', dice.pick(repositories));
      await change.set({ is_private: dice.flag(2), is_mirror: dice.flag(2) }).execute();
      await change.set({ archived_at: dice.flag(2) ? 1 : null, is_template: dice.flag(2) }).execute();
      await change.set({ owner_id: dice.pick(owners) }).execute();
      const name = `${dice.pick(WORDS)}-new-${count}-${dice.roll(1_000_000)}`;
      await change.set({ name, lower_name: name.toLowerCase(), topics: dice.pick(TOPICS) }).execute();
      const account = tx.updateTable('accounts').where('id', '=', dice.pick(owners));
      await account.set({ visibility: dice.pick(VISIBILITIES) }).execute();
      const owner = `renamed-${dice.roll(1_000_000)}`;
      await account.set({ name: owner, lower_name: owner }).execute();
    }
    await tx.deleteFrom('repositories').where('id', '=', dice.pick(repositories)).execute();
  });
}
