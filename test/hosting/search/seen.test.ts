import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packedPermissions, permissionJoin } from '../../../src/api/access/store/repository.ts';
import { ANONYMOUS, BY_PASSWORD, type Viewer, viewerOf } from '../../../src/api/access/viewer.ts';
import type { Database } from '../../../src/base/database/database.ts';
import { fragment } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { ListPlanner } from '../../../src/hosting/repositories/listing/plan.ts';
import type { RepositorySelection } from '../../../src/hosting/repositories/selection.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { Dice, makeWorld, stir, type World } from './worlds.ts';

const WORLDS = 3;
const ALL = { page: 1, limit: 50 };

/** Every caller with every kind of credential. */
function viewersOf(world: World): readonly (Viewer & { about: string })[] {
  const viewers = [{ ...ANONYMOUS, about: 'anonymous' }];
  for (const [index, id] of world.people.entries()) {
    const token = world.tokens[index] ?? 0;
    for (const isRestricted of [false, true]) {
      for (const isAdmin of [false, true]) {
        const whole = viewerOf({ id, name: `${id}`, isAdmin, isRestricted }, BY_PASSWORD);
        const about = `${id}${isRestricted ? ' restricted' : ''}${isAdmin ? ' admin' : ''}`;
        viewers.push({ ...whole, about }, { ...whole, publicOnly: true, about: `${about} public-only` });
        // A limited token never acts for an administrator.
        if (isAdmin) continue;
        viewers.push(
          { ...whole, limitedByToken: token, about: `${about} limited` },
          { ...whole, publicOnly: true, limitedByToken: token, about: `${about} both` },
        );
      }
    }
  }
  return viewers;
}

const BY_ID = { by: 'id', isDescending: false } as const;

async function requireSame(
  database: Database,
  planners: readonly ListPlanner[],
  viewer: Viewer & { about: string },
): Promise<void> {
  const byName = await query<{ id: number; lower_name: string; is_private: number; visibility: string }>(
    database.reader,
    fragment`select r.id, r.lower_name, r.is_private, o.visibility
      from accounts o join repositories r on r.owner_id = o.id ${permissionJoin(viewer)}
      where ${packedPermissions(viewer)} > 0 order by r.lower_name, o.lower_name`,
  );
  const rows = byName.toSorted((one, other) => one.id - other.id);
  const open = rows.filter((row) => row.is_private === 0 && row.visibility === 'public');
  for (const planner of planners) {
    const list = (selection: RepositorySelection, paging = ALL) =>
      planner.list(database.reader, viewer, selection, paging);
    const ids = (some: readonly { id: number }[]) => some.map((row) => row.id);
    const whole = await list({ order: BY_ID });
    assert.deepEqual(whole, { items: ids(rows), total: rows.length }, `${viewer.about}: all`);
    const openOnes = await list({ order: BY_ID, onlyOpenToAll: true });
    assert.deepEqual(openOnes, { items: ids(open), total: open.length }, `${viewer.about}: private=false`);
    const any = await list({ order: BY_ID, words: [{ kind: 'text', text: '-', inDescription: false }] });
    assert.deepEqual(any, whole, `${viewer.about}: a word that all repositories contain`);
    for (const name of ['oak', '-']) {
      const words = [{ kind: 'path', owner: '', name }] as const;
      const named = ids(byName.filter((row) => row.lower_name.includes(name)));
      const { length: total } = named;
      const about = `${viewer.about}: ${name}`;
      assert.deepEqual(await list({ words }), { items: named, total }, about);
      const backward = await list({ words, order: { by: 'name', isDescending: true } });
      assert.deepEqual(backward.items, named.toReversed(), `${about}, backward`);
      const second = await list({ words }, { page: 2, limit: 3 });
      assert.deepEqual(second, { items: named.slice(3, 6), total }, `${about}, page 2`);
      const sorted = named.toSorted((one, other) => one - other);
      assert.deepEqual(await list({ words, order: BY_ID }), { items: sorted, total }, `${about}, by id`);
    }
  }
}

test('a search returns exactly the repositories that the caller may read, for every caller and after every change', async (t) => {
  const database = await openTestDatabase(t);
  // With 0, every page walks the index of its order; with 1,000, all matches are sorted. They remember what they found.
  const planners = [0, 1_000].map((sortedMax) => new ListPlanner({ sortedMax }));
  const requireAll = (world: World) =>
    Promise.all(viewersOf(world).map((viewer) => requireSame(database, planners, viewer)));
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const dice = new Dice(seed);
    await clear(database);
    const world = await makeWorld(database, dice);
    await requireAll(world);
    await stir(database, dice, world);
    await requireAll(world);
  }
});

async function clear(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.deleteFrom('repositories').execute();
    await tx.deleteFrom('git_repositories').execute();
    await tx.deleteFrom('accounts').execute();
  });
}
