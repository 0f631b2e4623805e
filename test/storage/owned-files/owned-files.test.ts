import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, type TestContext, test } from 'node:test';
import { forbidden } from '../../../src/base/core/failure.ts';
import { Jobs } from '../../../src/base/jobs/service.ts';
import { createFolderStorage } from '../../../src/storage/folder.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import type { FileRows } from '../../../src/storage/owned-files/model.ts';
import { OwnedFiles } from '../../../src/storage/owned-files/service.ts';
import { afterTest } from '../../support/after-test.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { until } from '../../support/until.ts';
import { ADDRESSES, bodyOf, failsAs, keysOf, read } from '../objects.ts';

const { fileReservationMs, incomingObjectMs } = STORAGE_LIMITS;
const { signal } = new AbortController();

interface Row {
  readonly id: number;
  collectAt: number;
  isLinked: boolean;
  isDoomed: boolean;
}

/** The smallest table of files: rows in memory, each of which may be linked. */
class Table {
  readonly rows = new Map<number, Row>();
  #ids = 0;

  reserve(collectAt: number): { readonly id: number } {
    this.#ids += 1;
    this.rows.set(this.#ids, { id: this.#ids, collectAt, isLinked: false, isDoomed: false });
    return { id: this.#ids };
  }

  /** @returns undefined if the row is doomed or missing */
  link(id: number): number | undefined {
    const row = this.rows.get(id);
    if (row === undefined || row.isDoomed) return undefined;
    row.isLinked = true;
    return id;
  }

  unlink(id: number): void {
    Object.assign(this.rows.get(id) ?? {}, { isLinked: false, collectAt: 0 });
  }
}

function rowsOf({ rows }: Table, { isShared, suffix }: { isShared: boolean; suffix: string }) {
  const files: FileRows<{ readonly id: number }> = {
    jobs: { collect: 'test.collect', sweep: 'test.sweep' },
    isShared,
    keyOf: ({ id }) => `files/ab/${id}${suffix}`,
    async renew(_tx, { id }, until) {
      const row = rows.get(id);
      if (row?.isDoomed === false) row.collectAt = until;
    },
    async listLost(_db, now, limit) {
      const lost = [...rows.values()].filter(
        (row) => !row.isLinked && (row.isDoomed || row.collectAt <= now),
      );
      return lost.slice(0, limit).map((row) => ({ ...row, version: row.collectAt }));
    },
    async doom(_tx, { id, version }) {
      const row = rows.get(id);
      if (row === undefined || row.isLinked || row.collectAt !== version) return false;
      row.isDoomed = true;
      return true;
    },
    async delete(_tx, { id }) {
      if (rows.get(id)?.isDoomed === true) rows.delete(id);
    },
    strays: {
      prefixOf: (digits) => `files/${digits}/`,
      idOf: (key) => Number(key.split('/')[2]),
      listKnown: async (_db, ids) => ids.filter((id) => rows.has(id)).map((id) => ({ id })),
    },
  };
  return files;
}

async function open(t: TestContext, { isShared = false, suffix = '' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'quire-owned-files-'));
  afterTest(t, () => rm(folder, { recursive: true, force: true }));
  const database = await openTestDatabase(t);
  const objects = await createFolderStorage({ folder, addresses: ADDRESSES });
  const jobs = new Jobs({ database });
  const table = new Table();
  const files = new OwnedFiles({ database, jobs, objects }, rowsOf(table, { isShared, suffix }));
  /** Uploads `text`. The steps may be replaced. */
  const upload = (text: string, { whileArriving = async () => {}, authorize = async () => {} } = {}) =>
    files.store({
      reserve: async (_tx, until) => table.reserve(until),
      put: async ({ id }) => {
        await whileArriving();
        await objects.put(`files/ab/${id}${suffix}`, bodyOf(text));
        return text.length;
      },
      authorize: () => authorize(),
      link: async (_tx, { file }) => table.link(file.id),
    });
  return { database, jobs, objects, table, files, upload, keys: () => keysOf(objects, 'files/') };
}

test('a file is stored, linked and read, and a collection leaves it', async (t) => {
  const { objects, table, files, upload, keys } = await open(t);

  assert.equal(await upload('one'), 1);

  await files.collect({ signal, aheadMs: 2 * fileReservationMs });
  assert.deepEqual(await keys(), ['files/ab/1']);
  assert.equal(await read(objects, 'files/ab/1'), 'one');
  assert.equal(table.rows.size, 1);
});

test('a file that loses its link is deleted by the job that the same transaction requests', async (t) => {
  const { database, jobs, table, files, upload, keys } = await open(t);
  await upload('one');

  await database.transaction(async (tx) => {
    table.unlink(1);
    await files.requestCollection(tx);
  });
  await jobs.runDue();

  assert.deepEqual([await keys(), table.rows.size], [[], 0]);
});

test('an upload that the collection has overtaken is rejected, and leaves nothing', async (t) => {
  const { table, files, upload, keys } = await open(t);
  const whileArriving = () => files.collect({ signal, aheadMs: 2 * fileReservationMs });

  await assert.rejects(upload('late', { whileArriving }), failsAs('busy'));

  assert.deepEqual([await keys(), table.rows.size], [[], 0]);
});

test('a file that is used after a collection has listed it stays', async (t) => {
  const { database, objects, table, files, upload } = await open(t);
  const transaction = database.transaction.bind(database);
  await upload('one');
  table.unlink(1);
  // The next transaction is the one that would doom the file.
  const used = mock.method(database, 'transaction', async (...args: Parameters<typeof transaction>) => {
    Object.assign(table.rows.get(1) ?? {}, { collectAt: Date.now() + fileReservationMs });
    return transaction(...args);
  });
  t.after(() => used.mock.restore());

  await files.collect({ signal });

  assert.equal(used.mock.callCount(), 1);
  assert.equal(await read(objects, 'files/ab/1'), 'one');
});

test('a reservation is renewed while the bytes arrive', async (t) => {
  const { files, table, upload } = await open(t);
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
  t.after(() => mock.timers.reset());
  const whileArriving = async () => {
    const first = table.rows.get(1)?.collectAt ?? 0;
    mock.timers.tick(STORAGE_LIMITS.fileReservationRenewedEveryMs);
    await until(() => table.rows.get(1)?.collectAt !== first);
    await files.collect({ signal, aheadMs: fileReservationMs - 1 });
  };

  assert.equal(await upload('slow', { whileArriving }), 1);
});

test('rights that are withdrawn while the bytes arrive reject the upload, and its file is deleted at once', async (t) => {
  const { jobs, table, upload, keys } = await open(t);
  const authorize = async () => {
    assert.equal((await keys()).length, 1);
    throw forbidden('not any more');
  };

  await assert.rejects(upload('one', { authorize }), failsAs('forbidden'));

  await jobs.runDue();
  assert.deepEqual([await keys(), table.rows.size], [[], 0]);
});

test('a failed upload leaves a row that other uploads may share until its reservation ends', async (t) => {
  const { jobs, files, table, upload } = await open(t, { isShared: true });
  const whileArriving = async () => {
    throw new Error('cut off');
  };

  await assert.rejects(upload('one', { whileArriving }), /cut off/);

  await jobs.runDue();
  await files.collect({ signal, aheadMs: fileReservationMs - 60_000 });
  assert.equal(table.rows.size, 1);
  await files.collect({ signal, aheadMs: fileReservationMs + 60_000 });
  assert.equal(table.rows.size, 0);
});

test('a staged file is deleted after an hour unless it is linked', async (t) => {
  const { objects, files, table, keys } = await open(t);
  const stage = () =>
    files.stage({
      reserve: async (_tx, until) => table.reserve(until),
      put: ({ id }) => objects.put(`files/ab/${id}`, bodyOf('staged')),
    });
  await stage();
  table.link((await stage()).id);

  await files.collect({ signal, aheadMs: fileReservationMs + 60_000 });

  assert.deepEqual(await keys(), ['files/ab/2']);
});

test('a collection that fails at the bytes continues later with the doomed row', async (t) => {
  const { objects, table, files, upload, keys } = await open(t);
  await upload('one');
  table.unlink(1);
  const failing = mock.method(objects, 'delete', async () => {
    throw new Error('the store fails');
  });
  await assert.rejects(files.collect({ signal }), /the store fails/);
  failing.mock.restore();
  assert.deepEqual([await keys(), table.rows.get(1)?.isDoomed], [['files/ab/1'], true]);
  assert.equal(table.link(1), undefined);

  await files.collect({ signal });

  assert.deepEqual([await keys(), table.rows.size], [[], 0]);
});

test('a file of several objects loses all of them', async (t) => {
  const { objects, table, files, keys } = await open(t, { suffix: '/' });
  const { id } = table.reserve(0);
  for (const part of ['0', '1']) await objects.put(`files/ab/${id}/${part}`, bodyOf(part));

  await files.collect({ signal });

  assert.deepEqual([await keys(), table.rows.size], [[], 0]);
});

test('objects without a row are deleted after a day, in the turn of their digits', async (t) => {
  const { objects, files, upload, keys } = await open(t);
  await upload('kept');
  await objects.put('files/ab/99', bodyOf('stray'));
  const sweep = async (aheadMs: number, digits: string) => {
    await files.sweep({ signal, now: Date.now() + aheadMs }, digits);
    return keys();
  };

  assert.deepEqual(await sweep(incomingObjectMs - 60_000, 'ab'), ['files/ab/1', 'files/ab/99']);
  assert.deepEqual(await sweep(incomingObjectMs + 60_000, 'ac'), ['files/ab/1', 'files/ab/99']);
  assert.deepEqual(await sweep(incomingObjectMs + 60_000, 'ab'), ['files/ab/1']);
});
