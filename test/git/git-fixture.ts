import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/base/database/database.ts';
import { createLocalStorage } from '../../src/git/create.ts';
import { encodeCommit } from '../../src/git/format/commit-format.ts';
import type { GitObject, ObjectFormat, Oid } from '../../src/git/format/model.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { encodeTree } from '../../src/git/format/tree-format.ts';
import type { RefResult, RefUpdate } from '../../src/git/interface/refs.ts';
import type { GitStorage } from '../../src/git/interface/storage.ts';
import { afterTest } from '../support/after-test.ts';
import { openTestDatabase } from '../support/database/databases.ts';

export const MAIN = 'refs/heads/main';
const PERSON = { name: 'Ada', email: 'ada@example.org', seconds: 1_700_000_000, zone: '+0100' };

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-git-'));
  afterTest(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface GitFixture {
  readonly database: Database;
  readonly folder: string;
  readonly storage: GitStorage;
  readonly id: number;
  readonly format: ObjectFormat;
  /** Opens the storage again, as another process would, without cached state. */
  reopen(): GitStorage;
}

/** Tests decide when objects become files. */
const NEVER_MS = 24 * 60 * 60_000;

/** Opens a storage with one empty repository. */
export async function openGitFixture(t: TestContext, format: ObjectFormat = 'sha1'): Promise<GitFixture> {
  const folder = temporaryFolder(t);
  const database = await openTestDatabase(t);
  const reopen = () => {
    const storage = createLocalStorage({ database, folder, freshMoveMs: NEVER_MS });
    afterTest(t, () => storage.close());
    return storage;
  };
  const storage = reopen();
  const id = 7;
  await database.transaction((tx) => storage.refs.create(id, { head: MAIN, objectFormat: format }, tx));
  return { database, folder, storage, id, format, reopen };
}

export interface BuiltCommit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly objects: readonly GitObject[];
}

/** Builds a commit whose root tree contains `files`. */
export function buildCommit(
  format: ObjectFormat,
  files: Record<string, string>,
  parents: readonly Oid[] = [],
): BuiltCommit {
  const blobs = Object.entries(files).map(([name, text]) => ({
    name,
    object: newObject(format, 'blob', Buffer.from(text)),
  }));
  const entries = blobs.map(({ name, object }) => ({ mode: '100644' as const, name, oid: object.oid }));
  const tree = newObject(format, 'tree', encodeTree(format, entries));
  const content = encodeCommit(format, {
    tree: tree.oid,
    parents,
    author: PERSON,
    committer: PERSON,
    message: `${JSON.stringify(files)}\n`,
  });
  const commit = newObject(format, 'commit', content);
  return { oid: commit.oid, tree: tree.oid, objects: [...blobs.map(({ object }) => object), tree, commit] };
}

export const NOTHING_MORE = { atomic: false, inTransaction: async () => [] };

/** Writes objects and moves refs in one session. */
export async function commitTo(
  storage: GitStorage,
  id: number,
  objects: readonly GitObject[],
  updates: readonly RefUpdate[],
): Promise<readonly RefResult[]> {
  await using session = await storage.writes.begin(id);
  await session.writeObjects(objects);
  // Without `await`, a rejection would go unhandled while the session is disposed.
  return await storage.writes.commit(session, updates, NOTHING_MORE);
}

/** Commits, and waits until the objects are files. */
export async function commitFilesTo(
  storage: GitStorage,
  ...commit: [id: number, objects: readonly GitObject[], updates: readonly RefUpdate[]]
): Promise<readonly RefResult[]> {
  const results = await commitTo(storage, ...commit);
  await storage.upkeep.moveFreshToFiles();
  return results;
}

/** Runs git with a clean configuration. */
export function git(folder: string, args: readonly string[], input?: string | Uint8Array): string {
  return gitBytes(folder, args, input).toString().trimEnd();
}

export function gitBytes(folder: string, args: readonly string[], input?: string | Uint8Array): Buffer {
  return execFileSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: folder,
    input: input ?? '',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.org',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.org',
    },
  });
}

/** Creates a pack with all objects that `revisions` reach, as a push sends it. */
export function packOf(
  folder: string,
  revisions: readonly string[],
  options: readonly string[] = [],
): Readable {
  const pack = gitBytes(
    folder,
    ['pack-objects', '--revs', '--stdout', '-q', ...options],
    `${revisions.join('\n')}\n`,
  );
  return Readable.from([pack]);
}
