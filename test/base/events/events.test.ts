import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database, Tx } from '../../../src/base/database/database.ts';
import { EventFollower, followEvents } from '../../../src/base/events/follower.ts';
import { EVENT_LIMITS } from '../../../src/base/events/limits.ts';
import { isOfKind, type RecordedEvent } from '../../../src/base/events/model.ts';
import {
  deleteOldEvents,
  deleteReader,
  findReaderPosition,
  insertEvent,
  insertEvents,
  readEvents,
} from '../../../src/base/events/store.ts';
import { REPOSITORY_CREATED, REPOSITORY_DELETED } from '../../../src/hosting/repositories/events.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { openAt, openMigrated } from '../database/accounts.ts';

const FAR_AHEAD = Date.UTC(2200, 0, 1);

function created(name: string) {
  return {
    actorId: null,
    repositoryId: 1,
    payload: { owner: 'ada', name, private: false },
  };
}

async function write(database: Database, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await database.transaction((tx) => insertEvent(tx, REPOSITORY_CREATED, created(name)));
}

function namesOf(events: readonly RecordedEvent[]): string[] {
  return events.map((event) => (isOfKind(event, REPOSITORY_CREATED) ? event.payload.name : event.kind));
}

/** Whether a transaction of this database waits for the lock of another one. */
async function isTransactionBlocked(database: Database): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())`.execute(
    database.reader,
  );
  return (rows[0]?.count ?? 0) > 0;
}

/** Waits until the second transaction is done or blocked by the first one. */
async function untilStuck(database: Database, isDone: () => boolean): Promise<void> {
  let turns = 0;
  await until(async () => {
    turns += 1;
    if (isDone()) return true;
    // SQLite does not show blocked transactions. A transaction that is not blocked takes far fewer than 100 turns.
    return database.dialect === 'postgres' ? isTransactionBlocked(database) : turns > 100;
  });
}

test('many events that are recorded at once keep their order', async (t) => {
  const database = await openMigrated(t);
  const names = Array.from({ length: 1_000 }, (_, index) => `repository-${index}`);

  await database.transaction((tx) => insertEvents(tx, REPOSITORY_CREATED, names.map(created)));

  const { events } = await readEvents(database.reader, { after: 0, limit: names.length + 1 });
  assert.deepEqual(namesOf(events), names);
});

test('a reader that continues from its last position misses no event of two overlapping transactions', async (t) => {
  const location = await databaseLocation(t);
  const [first, second, reader] = [openAt(t, location), openAt(t, location), openAt(t, location)];
  const hasWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();

  const one = first.transaction(async (tx) => {
    await insertEvent(tx, REPOSITORY_CREATED, created('first'));
    hasWritten.resolve();
    await mayCommit.promise;
  });
  await hasWritten.promise;
  let isSecondDone = false;
  const other = second
    .transaction((tx) => insertEvent(tx, REPOSITORY_CREATED, created('second')))
    .then(() => {
      isSecondDone = true;
    });
  await untilStuck(reader, () => isSecondDone);
  const early = await readEvents(reader.reader, { after: 0, limit: 10 });
  mayCommit.resolve();
  await Promise.all([one, other]);
  const late = await readEvents(reader.reader, { after: early.position, limit: 10 });

  assert.deepEqual(namesOf([...early.events, ...late.events]), ['first', 'second']);
  assert.deepEqual(namesOf(late.events), ['first', 'second'], 'no event is visible before the first commit');
});

test('a reader sees each event once and in order while many writers write', async (t) => {
  const location = await databaseLocation(t);
  const writers = [openAt(t, location), openAt(t, location), openAt(t, location)];
  const reader = openAt(t, location);
  const expected = writers.flatMap((_, w) => Array.from({ length: 10 }, (_unused, n) => `${w}-${n}`));

  let isWritten = false;
  const writing = Promise.all(expected.map((name, index) => write(writers[index % 3] ?? reader, name))).then(
    () => {
      isWritten = true;
    },
  );
  const seen: RecordedEvent[] = [];
  let position = 0;
  await until(async () => {
    const wasWritten = isWritten;
    const batch = await readEvents(reader.reader, { after: position, limit: 3 });
    position = batch.position;
    seen.push(...batch.events);
    return wasWritten && batch.events.length === 0;
  });
  await writing;

  assert.deepEqual(namesOf(seen).sort(), expected.sort());
  assert.deepEqual(
    seen.map((event) => event.position),
    seen.map((event) => event.position).sort((a, b) => a - b),
  );
});

test('a reader of some kinds moves its position past events of other kinds', async (t) => {
  const database = await openMigrated(t);
  await write(database, 'one');
  const deleted = { actorId: 5, repositoryId: 1, payload: { name: 'two' } };
  await database.transaction((tx) => insertEvent(tx, REPOSITORY_DELETED, deleted));
  await write(database, 'three');

  const batch = await readEvents(database.reader, { after: 0, limit: 10, kinds: [REPOSITORY_DELETED] });
  const [event] = batch.events;
  assert.ok(event !== undefined && batch.events.length === 1);
  assert.deepEqual(
    { ...event, at: 0, position: 0 },
    {
      ...deleted,
      kind: 'repository.deleted',
      at: 0,
      position: 0,
      actorKind: 'user',
      actorName: null,
      ownerId: null,
      ownerName: null,
      repositoryName: null,
      former: null,
      accountNames: null,
    },
  );
  const rest = await readEvents(database.reader, { after: batch.position, limit: 10 });
  assert.deepEqual(rest, { events: [], position: batch.position });

  const cut = await readEvents(database.reader, { after: 0, limit: 1 });
  assert.deepEqual(namesOf(cut.events), ['one']);
  const next = await readEvents(database.reader, { after: cut.position, limit: 10 });
  assert.deepEqual(namesOf(next.events), ['repository.deleted', 'three']);
});

test('if two processes share a reader name, one of them handles each event', async (t) => {
  const location = await databaseLocation(t);
  const databases = [openAt(t, location), openAt(t, location)];
  const handled: string[] = [];
  const followers = databases.map(
    (database) =>
      new EventFollower({
        database,
        following: {
          name: 'test',
          async handle(tx, events) {
            const { rows } = await sql<{ one: number }>`select 1 as one`.execute(tx);
            if (rows.length === 1) handled.push(...namesOf(events));
          },
        },
      }),
  );
  const [first, second] = databases;
  assert.ok(first !== undefined && second !== undefined);
  await Promise.all(followers.map((follower) => follower.catchUp()));
  await Promise.all([write(first, 'a', 'b'), write(second, 'c')]);

  const counts = await Promise.all(followers.map((follower) => follower.catchUp()));

  assert.deepEqual(handled.toSorted(), ['a', 'b', 'c']);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    3,
  );
});

test('events are handled again after their handler failed', async (t) => {
  const database = await openMigrated(t);
  const handled: string[] = [];
  let isBroken = true;
  const follower = new EventFollower({
    database,
    following: {
      name: 'test',
      async handle(_tx, events) {
        if (isBroken) throw new Error('not now');
        handled.push(...namesOf(events));
      },
    },
  });
  await follower.catchUp();
  await write(database, 'a');

  await assert.rejects(follower.catchUp(), /not now/);
  isBroken = false;

  assert.equal(await follower.catchUp(), 1);
  assert.deepEqual(handled, ['a']);
});

test('a follower prepares each batch before its transaction, and handles nothing if that fails', async (t) => {
  const database = await openMigrated(t);
  const steps: string[] = [];
  let isBroken = true;
  const follower = new EventFollower<number>({
    database,
    following: {
      name: 'test',
      atOnceMax: 2,
      async prepare(events) {
        if (isBroken) throw new Error('not now');
        steps.push(`prepared ${namesOf(events)}`);
        return events.length;
      },
      async handle(_tx, events, prepared) {
        steps.push(`handled ${namesOf(events)} with ${prepared}`);
      },
    },
  });
  await follower.register();
  await write(database, 'a', 'b', 'c');

  await assert.rejects(follower.catchUp(), /not now/);
  assert.deepEqual(steps, []);
  isBroken = false;
  await Promise.all([follower.catchUp(), follower.catchUp()]);
  assert.deepEqual(steps, ['prepared a,b', 'handled a,b with 2', 'prepared c', 'handled c with 1']);
});

test('a follower that starts at the oldest event handles those that are kept', async (t) => {
  const database = await openMigrated(t);
  await write(database, 'a', 'b');
  await database.transaction((tx) => tx.deleteFrom('events').where('position', '=', 1).execute());
  await database.transaction((tx) => tx.updateTable('event_log').set({ deleted_to: 1 }).execute());
  const handled: string[] = [];
  const handle = async (_tx: Tx, events: readonly RecordedEvent[]) => {
    handled.push(...namesOf(events));
  };
  const follower = new EventFollower({ database, following: { name: 'test', startsAt: 'oldest', handle } });
  await follower.register();
  assert.equal(await findReaderPosition(database.reader, 'test'), 1);
  await write(database, 'c');
  await follower.catchUp();
  assert.deepEqual(handled, ['b', 'c']);
});

test('a running follower handles events soon after their commit, even after a failure, until it stops', async (t) => {
  const database = await openMigrated(t);
  const clock = new ManualClock();
  const handled: string[] = [];
  const warned: string[] = [];
  let isBroken = true;
  const follower = new EventFollower({
    database,
    following: {
      name: 'test',
      async handle(_tx, events) {
        if (isBroken) throw new Error('not now');
        handled.push(...namesOf(events));
      },
    },
  });
  await follower.catchUp();
  const log = { info: () => {}, warn: (_details: object, message: string) => warned.push(message) };
  const end = followEvents(follower, { database, clock, log });

  await write(database, 'a');
  await until(() => warned.length > 0);
  isBroken = false;
  // The clock advances repeatedly, because the follower may not wait for it yet.
  await until(() => {
    clock.advance(EVENT_LIMITS.hintsMissedMs);
    return handled.length === 1;
  });
  await write(database, 'b');
  await until(() => handled.length === 2);
  await end();
  await write(database, 'c');

  assert.deepEqual(handled, ['a', 'b']);
  assert.equal(await follower.catchUp(), 1);
});

test('a reader stores its position seldom while it finds only events of other kinds, and misses none', async (t) => {
  const database = await openMigrated(t);
  const clock = new ManualClock();
  const handled: string[] = [];
  const following = {
    name: 'test',
    kinds: [REPOSITORY_DELETED],
    async handle(_tx: Tx, events: readonly RecordedEvent[]) {
      handled.push(...namesOf(events));
    },
  };
  const newFollower = () => new EventFollower({ database, clock, following });
  const position = () => findReaderPosition(database.reader, 'test');
  const follower = newFollower();
  await follower.catchUp();
  await write(database, 'a');
  await follower.catchUp();
  const stored = await position();

  await write(database, 'b');
  await follower.catchUp();
  assert.equal(await position(), stored);
  const deleted = { actorId: null, repositoryId: 1, payload: { name: 'a' } };
  await database.transaction((tx) => insertEvent(tx, REPOSITORY_DELETED, deleted));
  assert.equal(await follower.catchUp(), 1);
  assert.notEqual(await position(), stored);
  assert.equal(await newFollower().catchUp(), 0, 'it is handled once');
  await write(database, 'c');
  await follower.catchUp();
  const before = await position();
  clock.advance(EVENT_LIMITS.positionStoredEveryMs);
  await follower.catchUp();
  assert.notEqual(await position(), before, 'without news, too');
  assert.deepEqual(handled, ['repository.deleted']);
});

test('old events are deleted only after every reader has handled them', async (t) => {
  const database = await openMigrated(t);
  const nothing = { name: 'slow', handle: async () => {} };
  const slow = new EventFollower({ database, following: nothing });
  await slow.catchUp();
  await write(database, 'a', 'b');
  const prune = (before: number) => database.transaction((tx) => deleteOldEvents(tx, before));

  assert.equal(await prune(FAR_AHEAD), 0, 'the reader has not handled the events');
  await slow.catchUp();
  await write(database, 'c');
  assert.equal(await prune(0), 0, 'the events are not old');
  assert.equal(await prune(FAR_AHEAD), 2);
  assert.deepEqual(namesOf((await readEvents(database.reader, { after: 0, limit: 10 })).events), ['c']);

  await database.transaction((tx) => deleteReader(tx, 'slow'));
  assert.equal(await prune(FAR_AHEAD), 1, 'no reader remains');
});

test('positions keep growing after all events are deleted', async (t) => {
  const database = await openMigrated(t);
  await write(database, 'a');
  const { position } = await readEvents(database.reader, { after: 0, limit: 10 });
  await database.transaction((tx) => deleteOldEvents(tx, FAR_AHEAD));

  await write(database, 'b');

  assert.deepEqual(namesOf((await readEvents(database.reader, { after: position, limit: 10 })).events), [
    'b',
  ]);
});

test('a follower writes nothing for events without effects, and asks again after a start', async (t) => {
  const database = await openMigrated(t);
  const clock = new ManualClock();
  const handled: string[] = [];
  const asked: string[] = [];
  const following = {
    name: 'picky',
    async hasEffects(events: readonly RecordedEvent[]) {
      asked.push(...namesOf(events));
      return namesOf(events).includes('wanted');
    },
    async handle(_: Tx, events: readonly RecordedEvent[]) {
      handled.push(...namesOf(events));
    },
  };
  const newFollower = () => new EventFollower({ database, clock, following });
  const follower = newFollower();
  await follower.register();
  const position = () => findReaderPosition(database.reader, 'picky');
  const stored = await position();
  clock.advance(1);
  // The first look stores the position in any case.
  await write(database, 'first');
  assert.equal(await follower.catchUp(), 1);
  assert.notEqual(await position(), stored);
  const before = await position();
  await write(database, 'one', 'two');
  assert.equal(await follower.catchUp(), 0);
  assert.deepEqual([handled, await position()], [[], before]);
  assert.equal(await follower.catchUp(), 0);
  assert.deepEqual(asked, ['first', 'one', 'two']);
  assert.equal(await newFollower().catchUp(), 2);
  await write(database, 'wanted');
  assert.equal(await follower.catchUp(), 1);
  assert.deepEqual(handled, ['wanted']);
});
