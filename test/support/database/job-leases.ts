import { openDatabase } from '../../../src/base/database/open.ts';
import { until } from '../until.ts';
import { locationOf } from './database-location.ts';
import { withClient } from './postgres.ts';

/** Flags and folder of servers that run one after the other. */
type Data = Parameters<typeof locationOf>[0];

const HOUR_MS = 60 * 60_000;

/** Prevents the jobs of a killed server from running until `releaseJobs`. */
export async function holdJobs(data: Data): Promise<void> {
  await untilDisconnected(data);
  await leaseJobsUntil(data, Date.now() + HOUR_MS);
}

/** Ends the leases of a killed server's jobs, for which the next server would wait a minute. */
export async function endLeases(data: Data): Promise<void> {
  await untilDisconnected(data);
  await leaseJobsUntil(data, 0);
}

/** Lets the running server start the jobs that `holdJobs` held, or that a killed server had leased. */
export function releaseJobs(data: Data): Promise<void> {
  return leaseJobsUntil(data, 0);
}

async function leaseJobsUntil(data: Data, leasedUntil: number): Promise<void> {
  const database = openDatabase(locationOf(data));
  await database.transaction((tx) => tx.updateTable('jobs').set({ leased_until: leasedUntil }).execute());
  await database.close();
}

/** Waits for the transactions of a killed server, because PostgreSQL may commit them after the server's end. */
async function untilDisconnected(data: Data): Promise<void> {
  const location = locationOf(data);
  if (location.kind === 'file') return;
  await withClient(location.url, (client) =>
    until(async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database()
          and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return rowCount === 0;
    }),
  );
}
