import type { TestContext } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import type { DatabaseLocation } from '../../../src/base/database/open.ts';
import { defineJob, type JobKind, type NewJob } from '../../../src/base/jobs/model.ts';
import { Jobs } from '../../../src/base/jobs/service.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { openAt } from '../database/accounts.ts';

export interface Mail {
  readonly to: string;
}

export const MAIL = defineJob<Mail>('test.mail');

/** A process that runs jobs and has its own clock. */
export interface Process {
  readonly database: Database;
  readonly clock: ManualClock;
  readonly jobs: Jobs;
}

export function openProcess(t: TestContext, location: DatabaseLocation, clock = new ManualClock()): Process {
  const database = openAt(t, location);
  return { database, clock, jobs: new Jobs({ database, clock }) };
}

export async function openOne(t: TestContext): Promise<Process> {
  return openProcess(t, await databaseLocation(t));
}

export async function enqueue<Payload>(
  { database, jobs }: Process,
  kind: JobKind<Payload>,
  job: NewJob<Payload>,
): Promise<void> {
  await database.transaction((tx) => jobs.enqueue(tx, kind, job));
}

/** Returns the rows of all jobs, without columns that no test checks. */
export async function rowsOf({ database }: Process) {
  return database.reader
    .selectFrom('jobs')
    .select(['kind', 'key', 'attempts', 'run_at', 'last_error', 'leased_by'])
    .orderBy('id')
    .execute();
}
