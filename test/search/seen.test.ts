import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldJoin, heldLevel } from '../../src/access/store/repository.ts';
import { ANONYMOUS, BY_PASSWORD, type Viewer, viewerOf } from '../../src/access/viewer.ts';
import type { Database } from '../../src/database/database.ts';
import { fragment } from '../../src/database/fragment.ts';
import { query } from '../../src/database/query.ts';
import { ListPlanner } from '../../src/repositories/listing/plan.ts';
import type { RepositorySelection } from '../../src/repositories/selection.ts';
import { openTestDatabase } from '../support/databases.ts';
import { Dice, makeWorld, stir, type World } from './worlds.ts';

const WORLDS = 3;
const ALL = { page: 1, limit: 50 };

/** Every caller with every kind of credential. */
function viewersOf(world: World): readonly (Viewer & { about: string })[] {
  const viewers = [{ ...ANONYMOUS, about: 'anonymous' }];
  for (const [index, id] of world.people.entries()) {
    for (const isRestricted of [false, true]) {
      for (const isAdmin of [false, true]) {
        const whole = viewerOf({ id, name: `${id}`, isAdmin, isRestricted }, BY_PASSWORD);
        const token = world.tokens[index] ?? 0;
        const about = `${id}${isRestricted ? ' restricted' : ''}${isAdmin ? ' admin' : ''}`;
        viewers.push(
          { ...whole, about },
          { ...whole, publicOnly: true, about: `${about} public-only` },
          { ...whole, isAdmin: false, limitedByToken: token, about: `${about} limited` },
          { ...whole, isAdmin: false, publicOnly: true, limitedByToken: token, about: `${about} both` },
        );
      }
    }
  }
  return viewers;
}

async function requireSame(database: Database, viewer: Viewer & { about: string }): Promise<void> {
  const rows = await query<{ id: number; is_private: number; visibility: string }>(
    database.reader,
    fragment`select r.id, r.is_private, o.visibility
      from accounts o join repositories r on r.owner_id = o.id ${heldJoin(viewer)}
      where ${heldLevel(viewer)} > 0 order by r.id`,
  );
  const open = rows.filter((row) => row.is_private === 0 && row.visibility === 'public');
  // With 0, every page walks the index of its order; with 1,000, all matches are sorted.
  for (const sortedMax of [0, 1_000]) {
    const planner = new ListPlanner({ sortedMax });
    const list = (selection: RepositorySelection) =>
      planner.list(database.reader, viewer, { order: { by: 'id', isDescending: false }, ...selection }, ALL);
    const ids = (some: readonly { id: number }[]) => some.map((row) => row.id);
    const whole = await list({});
    assert.deepEqual(whole, { items: ids(rows), total: rows.length }, `${viewer.about}: all`);
    const openOnes = await list({ onlyOpenToAll: true });
    assert.deepEqual(openOnes, { items: ids(open), total: open.length }, `${viewer.about}: private=false`);
    const any = await list({ words: [{ kind: 'text', text: '-', inDescription: false }] });
    assert.deepEqual(any, whole, `${viewer.about}: a word that all repositories contain`);
    const named = await list({ words: [{ kind: 'path', owner: '', name: 'new-' }] });
    assert.deepEqual(
      named.items,
      named.items.filter((id) => whole.items.includes(id)),
      `${viewer.about}: some`,
    );
  }
}

test('a search returns exactly the repositories that the caller may read, for every caller and after every change', {
  timeout: 300_000,
}, async (t) => {
  const database = await openTestDatabase(t);
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const dice = new Dice(seed);
    await clear(database);
    const world = await makeWorld(database, dice);
    await Promise.all(viewersOf(world).map((viewer) => requireSame(database, viewer)));
    await stir(database, dice, world);
    await Promise.all(viewersOf(world).map((viewer) => requireSame(database, viewer)));
  }
});

async function clear(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.deleteFrom('repositories').execute();
    await tx.deleteFrom('git_repositories').execute();
    await tx.deleteFrom('accounts').execute();
  });
}
