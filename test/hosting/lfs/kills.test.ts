import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { placeOf, prepareSite, type Site, serveSite } from '../../code/transport/server-process.ts';
import { keysOf } from '../../storage/objects.ts';
import { holdJobs, releaseJobs } from '../../support/database/job-leases.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { environmentOf, incompleteUploads, s3Bucket, type TestBucket, whyNoS3 } from '../../support/s3.ts';
import { Round } from './kill-rounds.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Points that an upload, a link or a collection passes with every store. */
const POINTS: readonly FaultPoint[] = [
  'before-object',
  'before-lfs-join',
  'before-file-link',
  'after-file-link',
  'after-file-doom',
  'after-file-delete',
];
/** Points of an upload in parts to S3. */
const S3_POINTS: readonly FaultPoint[] = ['after-upload-begin', 'after-upload-part', 'after-object'];
const TIMEOUT_MS = 5 * 60_000;

/** Data of servers that are killed one after the other, and where they keep large files. */
interface Store {
  readonly site: Site;
  readonly environment: Record<string, string>;
  /** null: the folder */
  readonly bucket: TestBucket | null;
}

/** Starts a forge on the data of the site in this process, which can let time pass. */
function openForge(t: TestContext, { site, bucket }: Store): Promise<TestForge> {
  return startForge(t, { ...placeOf(site), settings: bucket?.flags ?? {} });
}

/** Lets a day pass: what no client has continued is removed. */
async function passDay({ forge }: TestForge): Promise<void> {
  const { signal } = new AbortController();
  const { objectFiles, uploadFiles } = forge.running.services;
  for (const files of [uploadFiles, objectFiles]) await files.collect({ signal, aheadMs: DAY_MS + 1000 });
  // Less than nothing, because the clock of the S3 server may be ahead.
  await forge.running.engines.objects.removeAbandoned(-60_000);
}

/** Requires that the store holds the objects of repositories and nothing else. @returns how many there are */
async function requireNoLeftovers({ forge }: TestForge, { site, bucket }: Store): Promise<number> {
  const { database, objects } = forge.running.engines;
  const linked = await database.reader
    .selectFrom('lfs_objects as o')
    .innerJoin('lfs_links as l', 'l.object_id', 'o.id')
    .select(['o.id', 'o.oid'])
    .distinct()
    .execute();
  const keys = linked.map(({ id, oid }) => `lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}.${id}`);
  assert.deepEqual(await keysOf(objects, ''), keys.toSorted());
  const rows = await database.reader.selectFrom('lfs_objects').select('id').execute();
  assert.equal(rows.length, linked.length);
  assert.deepEqual(await database.reader.selectFrom('lfs_uploads').select('id').execute(), []);
  const incoming =
    bucket === null
      ? readdirSync(join(site.dataFolder, 'objects/.incoming'))
      : await incompleteUploads(bucket);
  assert.deepEqual(incoming, []);
  return linked.length;
}

async function killAtEach(t: TestContext, store: Store, points: readonly FaultPoint[]): Promise<void> {
  const { site, environment, bucket } = store;
  // An object that S3 takes in several parts.
  const largeBytes = bucket === null ? 10 : STORAGE_LIMITS.s3PartBytes + 1;
  const rounds = points.map((point) => new Round(point, { as: site.admin, largeBytes }));
  const first = await openForge(t, store);
  await Round.createRepositories(first.url, site.admin);
  for (const round of rounds) await round.prepare(first.url);
  await first.forge.stop();

  for (const [index, round] of rounds.entries()) {
    const fault = { ...environment, QUIRE_FAULT: round.point };
    // A collection that goes on may be what reaches the point, and must not do so yet.
    await holdJobs(site);
    const { url, running } = await serveSite(t, site, fault);
    // The last server checks all: what is lost does not come back.
    await rounds[index - 1]?.requireNothingLost(url);
    await releaseJobs(site);
    await round.sendAll(url);
    assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, round.point);
  }

  const forge = await openForge(t, store);
  for (const round of rounds) await round.requireNothingLost(forge.url);
  await passDay(forge);
  await requireNoLeftovers(forge, store);
  for (const round of rounds) await round.repeat(forge.url);
  await passDay(forge);
  // Of each round: one uploaded, one shared, one in parts. Those of the deleted repositories are gone.
  assert.equal(await requireNoLeftovers(forge, store), 3 * rounds.length);
  for (const name of ['engine', 'mill']) await forge.root.delete(`/api/v1/repos/root/${name}`);
  await passDay(forge);
  assert.equal(await requireNoLeftovers(forge, store), 0);
}

test('a server killed at any point of uploads, links and collections loses nothing acknowledged and leaves nothing behind (folder)', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  await killAtEach(t, { site: await prepareSite(t), environment: {}, bucket: null }, POINTS);
});

test('a server killed at any point of uploads, links and collections loses nothing acknowledged and leaves nothing behind (S3)', {
  skip: whyNoS3,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const bucket = await s3Bucket();
  const environment = environmentOf(bucket);
  const site = await prepareSite(t);
  // How the rows move at the other points does not depend on the store, so one database suffices for them here.
  const others = postgresServerUrl() === undefined ? POINTS : [];
  await killAtEach(t, { site, environment, bucket }, [...S3_POINTS, ...others]);
});
