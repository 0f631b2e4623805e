import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Cost, watchCosts } from '../../../src/base/core/costs.ts';
import type { Database } from '../../../src/base/database/database.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { afterTest } from '../../support/after-test.ts';
import { locationOf } from '../../support/database/database-location.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import type { Credentials } from '../../support/http/http.ts';

/** Opens the database of a forge once more, as a command beside the server does. */
function openBeside(t: TestContext, { forge, flags }: TestForge): Database {
  const database = openDatabase(locationOf({ flags, dataFolder: forge.dataFolder }));
  afterTest(t, () => database.close());
  return database;
}

test('a request sees what another process has done to its token and account before it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const beside = openBeside(t, forge);
  const byToken: Credentials = { token: ada.token };
  const byPassword: Credentials = { name: 'ada', password: ada.password };
  const statuses = async () => [
    (await forge.get('/api/v1/user', { as: byToken })).status,
    (await forge.get('/api/v1/user', { as: byPassword })).status,
  ];
  const setActive = (isActive: 0 | 1) =>
    beside.transaction((tx) =>
      tx.updateTable('accounts').set({ is_active: isActive }).where('name', '=', 'ada').execute(),
    );

  const seen = [await statuses(), await statuses()];
  await setActive(0);
  seen.push(await statuses());
  await setActive(1);
  seen.push(await statuses());
  await beside.transaction((tx) => tx.deleteFrom('tokens').execute());
  seen.push(await statuses());

  assert.deepEqual(seen, [
    [200, 200],
    [200, 200],
    [403, 403],
    [200, 200],
    [401, 200],
  ]);
});

test('a repeated request of a token reads its rows once between two commits', async (t) => {
  const forge = await startForge(t);
  if (forge.flags.includes('--database-url'))
    return t.skip('each request reads the rows on PostgreSQL, which has no cheap counter of changes');
  const path = '/api/v1/version';
  const costs: Cost[] = [];
  await forge.root.get(path);
  // The first use of a token is recorded, which is a commit.
  await forge.forge.running.services.authentication.waitForWrites();
  await forge.root.get(path);

  const stop = watchCosts((cost) => costs.push(cost));
  afterTest(t, stop);
  await forge.root.get(path);
  assert.deepEqual(costs, []);
  await forge.account('ada');
  costs.length = 0;
  await forge.root.get(path);
  assert.deepEqual(costs, ['statements']);
});
