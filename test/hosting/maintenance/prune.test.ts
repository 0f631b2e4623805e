import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { constants, readdirSync, statSync, utimesSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contentsOf } from '../../code/contents/files.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { run } from '../../support/process.ts';
import { until } from '../../support/until.ts';

const BIG_BYTES = 2_000_000;

/** Returns the paths of all files below `objects/`. */
function objectFiles(gitDir: string): string[] {
  return readdirSync(join(gitDir, 'objects'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Writes a large file on a branch, deletes the branch, and dates the objects back. @returns the oid of the file */
async function leaveOldGarbage(ada: Person, gitDir: string): Promise<string> {
  const content = randomBytes(BIG_BYTES).toString('base64');
  const made = await ada.post(contentsOf('ada/engine', 'big'), { content, new_branch: 'side' });
  assert.equal(made.status, 201);
  await git(gitDir, ['push', '-q', ada.remote('ada/engine'), ':refs/heads/side']);
  for (const path of objectFiles(gitDir)) utimesSync(path, 1, 1);
  return made.body.content.sha;
}

async function usedRepository(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine', { auto_init: true });
  const storage = forge.forge.running.engines.git;
  const gitDir = (await mirrorOf(storage, await storage.refs.open(id))).gitDir;
  return { ada, id, gitDir, storage };
}

test('a prune succeeds at once while a client commits without a break, and its disk use is bounded', async (t) => {
  const { ada, id, gitDir, storage } = await usedRepository(t);
  const garbage = await leaveOldGarbage(ada, gitDir);
  const acknowledged: string[] = [];
  let isPruning = true;
  // One file is changed again and again, so that its tree stays small.
  const write = async () => {
    const created = await ada.post(contentsOf('ada/engine', 'counter'), { content: '' });
    acknowledged.push(created.body.commit.sha);
    let { sha } = created.body.content;
    while (isPruning) {
      const content = Buffer.from(`${acknowledged.length}`).toString('base64');
      const written = await ada.put(contentsOf('ada/engine', 'counter'), { content, sha });
      assert.equal(written.status, 200, written.text);
      sha = written.body.content.sha;
      acknowledged.push(written.body.commit.sha);
    }
  };
  const prune = async () => {
    const outcomes: string[] = [];
    while (acknowledged.length < 2 || outcomes.length < 2)
      outcomes.push(await storage.upkeep.maintain(id, 'prune'));
    isPruning = false;
    return outcomes;
  };
  const [outcomes] = await Promise.all([prune(), write()]);

  assert.deepEqual(new Set(outcomes), new Set(['done']));
  const bytes = objectFiles(gitDir).reduce((sum, path) => sum + statSync(path).size, 0);
  // A commit has three objects, of about 400 bytes together. A busy machine takes long to prune, so there may be thousands.
  const bytesMax = BIG_BYTES / 2 + acknowledged.length * 600;
  assert.ok(bytes < bytesMax, `${bytes} bytes after the prune, with ${acknowledged.length} commits`);
  assert.equal(await (await storage.refs.open(id)).objects.info(garbage), undefined);
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
  const clone = await workingCopy(t);
  await git(clone, ['pull', '-q', ada.remote('ada/engine'), 'main']);
  const history = (await git(clone, ['rev-list', 'HEAD'])).split('\n');
  assert.deepEqual(history.toReversed().slice(1), acknowledged);
});

/** Runs `work` when a process has opened a pipe to read it. The process reads nothing, and goes on after `work`. */
async function whenOpened(pipe: string, work: () => Promise<unknown>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  let writer: FileHandle | undefined;
  await until(async () => {
    // Fails as long as no process has opened it.
    writer = await open(pipe, flags).catch(() => undefined);
    return writer !== undefined;
  });
  await work();
  await writer?.close();
}

test('a prune succeeds if a tree arrives between two looks of git for it, of which one finds it', async (t) => {
  const { id, gitDir, storage } = await usedRepository(t);
  const blob = await git(gitDir, ['hash-object', '-w', '--stdin'], { input: 'text' });
  const tree = await git(gitDir, ['mktree'], { input: `100644 blob ${blob}\tfile\n` });
  const commit = await git(gitDir, ['commit-tree', '-m', 'unused', tree]);
  const path = join(tree.slice(0, 2), tree.slice(2));
  const [objects, aside] = [join(gitDir, 'objects'), join(gitDir, 'aside')];
  await mkdir(join(aside, dirname(path)), { recursive: true });
  await rename(join(objects, path), join(aside, 'tree'));
  assert.equal((await run(t, 'mkfifo', [join(aside, path)]).ended()).code, 0);
  // git reads objects there, too, but does not list them.
  await writeFile(join(objects, 'info', 'alternates'), `${aside}\n`);

  const arrives = whenOpened(join(aside, path), () => rename(join(aside, 'tree'), join(objects, path)));
  const [outcome] = await Promise.all([storage.upkeep.maintain(id, 'prune'), arrives]);

  assert.equal(outcome, 'done');
  await rm(join(objects, 'info', 'alternates'));
  assert.equal(await git(gitDir, ['rev-list', '--objects', '--count', commit]), '3');
});
