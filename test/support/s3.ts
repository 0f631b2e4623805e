import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '../../src/storage/s3/settings.ts';
import { freePort } from './free-port.ts';
import { ROOT } from './process.ts';

const SERVER = join(ROOT, '.ci/s3-server/bin/versitygw');
const START_MS_MAX = 30_000;
const POLL_MS = 20;
const KEYS = { accessKeyId: 'QUIRETESTKEY', secretAccessKey: randomBytes(20).toString('hex') };

/** Why the tests that need an S3 server are skipped; false if they are not. */
export const whyNoS3 = existsSync(SERVER) ? false : '".ci/install-clients" installs the S3 server';

export interface TestBucket {
  readonly settings: S3Settings;
  /** settings of a server that keeps its objects here */
  readonly flags: { readonly objects: string; readonly objectsKeyId: string; readonly objectsSecret: string };
}

let running: Promise<string> | undefined;

/** Creates a bucket on an S3 server, which ends with this process. */
export async function s3Bucket(): Promise<TestBucket> {
  running ??= startServer();
  const endpoint = await running;
  const bucket = `quire-${randomBytes(8).toString('hex')}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: KEYS, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return bucketAt(endpoint, bucket);
}

/** Returns the same bucket at another address, such as that of a proxy. */
export function bucketAt(endpoint: string, bucket: string): TestBucket {
  const place = {
    endpoint,
    publicEndpoint: endpoint,
    region: 'us-east-1',
    bucket,
    prefix: 'site/',
    pathStyle: true,
  };
  const objects = `s3://${bucket}/site?${new URLSearchParams({ endpoint })}`;
  return {
    settings: { ...place, ...KEYS },
    flags: { objects, objectsKeyId: KEYS.accessKeyId, objectsSecret: KEYS.secretAccessKey },
  };
}

async function startServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-s3-'));
  const port = await freePort();
  const child = spawn(SERVER, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
    stdio: 'ignore',
    env: { ROOT_ACCESS_KEY: KEYS.accessKeyId, ROOT_SECRET_KEY: KEYS.secretAccessKey },
  });
  // It must not keep the process of the tests running.
  child.unref();
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await untilReady(child, port);
  return `http://127.0.0.1:${port}`;
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error('the S3 server did not start');
    await sleep(POLL_MS);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Names the objects with incomplete uploads. */
export async function incompleteUploads({ settings }: TestBucket): Promise<string[]> {
  const { endpoint, bucket: Bucket } = settings;
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: KEYS, forcePathStyle: true });
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    return Uploads.map(({ Key = '' }) => Key);
  } finally {
    client.destroy();
  }
}

/** Returns the settings of a bucket as variables of a server's environment. */
export function environmentOf({ flags }: TestBucket): Record<string, string> {
  return {
    QUIRE_OBJECTS: flags.objects,
    QUIRE_OBJECTS_KEY_ID: flags.objectsKeyId,
    QUIRE_OBJECTS_SECRET: flags.objectsSecret,
  };
}
