import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { temporaryFolder } from '../git/git.ts';
import { until } from '../until.ts';
import { databaseLocation, locationOf } from './database-location.ts';
import { endLeases, holdJobs } from './job-leases.ts';
import { withClient } from './postgres.ts';
import { postgresServerUrl } from './postgres-databases.ts';

const skip = postgresServerUrl() === undefined ? 'the embedded database ends with its process' : false;

/**
 * Changes leases while a connection of a killed server has yet to commit a job.
 *
 * @returns whether the lease of that job has changed
 */
async function reachesLateJob(t: TestContext, lease: typeof holdJobs): Promise<boolean> {
  const { url } = (await databaseLocation(t)) as { readonly url: string };
  const data = { dataFolder: await temporaryFolder(t), flags: ['--database-url', url] };
  assert.deepEqual(locationOf(data), { kind: 'url', url });
  const killed = new pg.Client({ connectionString: url });
  await killed.connect();
  await killed.query('begin');
  await killed.query(
    "insert into jobs (kind, key, payload, run_at, created_at) values ('sweep', '', '{}', 0, 0)",
  );

  let hasLeased = false;
  const leasing = lease(data).then(() => {
    hasLeased = true;
  });
  // Either the leases wait for this connection, or they have been written without the job.
  await until(async () => {
    // In a transaction, PostgreSQL reads the view once.
    await killed.query('select pg_stat_clear_snapshot()');
    const { rowCount } = await killed.query(
      "select from pg_stat_activity where datname = current_database() and query like '%pg_stat_activity%'",
    );
    return hasLeased || rowCount === 2;
  });
  await killed.query('commit');
  await killed.end();
  await leasing;

  return withClient(url, async (client) => {
    const { rows } = await client.query<{ leased_until: string | null }>('select leased_until from jobs');
    assert.equal(rows.length, 1);
    return rows[0]?.leased_until !== null;
  });
}

test('jobs that PostgreSQL commits after the end of their server are held', { skip }, async (t) => {
  assert.equal(await reachesLateJob(t, holdJobs), true);
});

test('leases that PostgreSQL commits after the end of their server are ended', { skip }, async (t) => {
  assert.equal(await reachesLateJob(t, endLeases), true);
});
