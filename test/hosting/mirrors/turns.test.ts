import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../../../src/base/jobs/model.ts';
import type { Due } from '../../../src/hosting/mirrors/model.ts';
import { OwnerTurns } from '../../../src/hosting/mirrors/turns.ts';
import { openOne } from '../../base/jobs/jobs-fixture.ts';
import { until } from '../../support/until.ts';

test('owners whose servers hang give way to an owner who waits, and their failure says why', async (t) => {
  const { database, jobs, clock } = await openOne(t);
  const due = new Map<number, Due>();
  const failures = new Map<number, string>();
  const updated: number[] = [];
  const turns = new OwnerTurns(
    { database, jobs },
    {
      kind: defineJob<{ ownerId: number }>('test.turns'),
      lookingName: 'test.looking',
      atOnceMax: 2,
      patienceMs: 10_000,
      whatFailed: 'it was not updated',
      listDueOwners: async () => [],
      findDue: async (ownerId) => due.get(ownerId),
      async update({ id }, signal) {
        updated.push(id);
        // The servers of all owners but the last one hang.
        if (id < 3) await new Promise((_, reject) => signal.addEventListener('abort', reject));
        due.delete(id);
      },
      async fail({ id }, why) {
        failures.set(id, why);
        due.delete(id);
      },
    },
  );
  const request = (ownerId: number) => {
    due.set(ownerId, { id: ownerId, request: 1 });
    return database.transaction((tx) => turns.enqueue(tx, ownerId));
  };
  for (const ownerId of [1, 2]) await request(ownerId);
  jobs.start();
  await until(() => updated.length === 2);
  await request(3);
  // Less than the time of a lease in all.
  clock.advance(9_999);
  assert.deepEqual([updated.length, failures.size], [2, 0]);
  clock.advance(1);
  await until(() => updated.includes(3));
  assert.deepEqual(
    [...failures.values()],
    ['the update takes long, and other owners wait: it is tried again'],
  );
  // The other one goes on, because no one waits any more.
  const [hanging] = [...due.keys()];
  assert.ok(hanging === 1 || hanging === 2);
  await jobs.stop();
});
