import type { TestContext } from 'node:test';
import { S3Storage } from '../../../src/storage/s3/storage.ts';
import { keysOf } from '../../storage/objects.ts';
import { afterTest } from '../../support/after-test.ts';
import { s3Bucket, type TestBucket, whyNoS3 } from '../../support/s3.ts';
import { testStoredArchives } from './stored.ts';

// Runs once: no outcome depends on the database.

let bucket: Promise<TestBucket> | undefined;

/** Returns the settings of a bucket that is emptied after each test, so that one can use the forge of another. */
async function emptyBucket(t: TestContext) {
  bucket ??= s3Bucket();
  const { flags, settings } = await bucket;
  afterTest(t, async () => {
    const storage = new S3Storage(settings);
    for (const key of await keysOf(storage, '')) await storage.delete(key);
    await storage.close();
  });
  return flags;
}

testStoredArchives('S3', emptyBucket, { skip: whyNoS3 });
