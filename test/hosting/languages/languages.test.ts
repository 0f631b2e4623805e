import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { StoredTree } from '../../../src/git/format/stored-tree.ts';
import { encodeTree } from '../../../src/git/format/tree-format.ts';
import { CachedObjectReader } from '../../../src/git/objects/object-reader.ts';
import { LANGUAGE_LIMITS } from '../../../src/hosting/languages/limits.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const SOON = { aheadMs: LANGUAGE_LIMITS.languagesDelayMs };

class Engine {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly folder: string;
  readonly id: number;

  constructor(parts: Pick<Engine, 'forge' | 'ada' | 'folder' | 'id'>) {
    this.forge = parts.forge;
    this.ada = parts.ada;
    this.folder = parts.folder;
    this.id = parts.id;
  }

  /**
   * Writes and removes files, pushes them, and runs the jobs that follow.
   *
   * @param files new content by path: a text, a size in bytes, or null to remove the file
   */
  async push(files: Record<string, string | number | null>, branch = 'main'): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.folder, path);
      await mkdir(dirname(file), { recursive: true });
      if (content === null) await rm(file);
      else await writeFile(file, typeof content === 'number' ? 'x'.repeat(content) : content);
    }
    await commitAll(this.folder, 'change');
    await git(this.folder, ['push', '-q', '--force', 'origin', `HEAD:${branch}`]);
    await this.runJobs();
  }

  async runJobs(): Promise<void> {
    await this.forge.forge.running.services.jobs.runDue(SOON);
  }

  async languages(): Promise<readonly [string, number][]> {
    const answer = await this.ada.get(`${ENGINE}/languages`);
    assert.equal(answer.status, 200, answer.text);
    return Object.entries(answer.body);
  }

  async main(): Promise<string> {
    return (await this.ada.get(ENGINE)).body.language;
  }

  /** Counts the reads of folders and of sizes during `work`. */
  async reads(work: () => Promise<void>): Promise<{ trees: number; sizes: number }> {
    const counts = { trees: 0, sizes: 0 };
    const { openTree, info } = CachedObjectReader.prototype;
    CachedObjectReader.prototype.openTree = function (oid) {
      counts.trees += 1;
      return openTree.call(this, oid);
    };
    CachedObjectReader.prototype.info = function (oid) {
      counts.sizes += 1;
      return info.call(this, oid);
    };
    await work();
    Object.assign(CachedObjectReader.prototype, { openTree, info });
    return counts;
  }
}

async function startEngine(t: TestContext): Promise<Engine> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const folder = await workingCopy(t);
  await git(folder, ['remote', 'add', 'origin', ada.remote('ada/engine')]);
  return new Engine({ forge, ada, folder, id });
}

test('a repository without a commit has no languages', async (t) => {
  const engine = await startEngine(t);

  assert.deepEqual(await engine.languages(), []);
  assert.equal(await engine.main(), '');
});

test('after a push, the bytes of each language are listed, largest first', async (t) => {
  const engine = await startEngine(t);

  await engine.push({
    'main.go': 100,
    'web/app.ts': 300,
    'web/node_modules/x.ts': 5000,
    'tool.py': 200,
    'README.md': 5000,
    'data.json': 5000,
  });

  assert.deepEqual(await engine.languages(), [
    ['TypeScript', 300],
    ['Python', 200],
    ['Go', 100],
  ]);
  assert.equal(await engine.main(), 'TypeScript');
});

test('changed, added and removed files count, at any depth', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'a/b/c/one.go': 100, 'a/b/two.go': 50, 'three.py': 70, 'x.ts': 10 });

  await engine.push({ 'a/b/c/one.go': 40, 'a/four.rs': 500, 'x.ts': null });
  assert.deepEqual(await engine.languages(), [
    ['Rust', 500],
    ['Go', 90],
    ['Python', 70],
  ]);
  assert.equal(await engine.main(), 'Rust');
  // A file replaces a folder, and a folder replaces a file.
  await rm(join(engine.folder, 'a'), { recursive: true });
  await engine.push({ a: 'x', 'three.py': null });
  await engine.push({ 'three.py/one.rb': 5 });
  assert.deepEqual(await engine.languages(), [['Ruby', 5]]);
});

test('attributes of the root also apply to files pushed before them', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'a.inc': 100, 'b.go': 10 });
  assert.equal(await engine.main(), 'PHP');

  await engine.push({ '.gitattributes': '*.inc linguist-language=Pascal\n' });
  assert.deepEqual(await engine.languages(), [
    ['Pascal', 100],
    ['Go', 10],
  ]);
  await engine.push({ '.gitattributes': null });
  assert.equal(await engine.main(), 'PHP');
});

test('symlinks and submodules do not count', async (t) => {
  const engine = await startEngine(t);
  await git(engine.folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib.go`]);
  const target = await git(engine.folder, ['hash-object', '-w', '--stdin'], { input: 'x'.repeat(99) });
  await git(engine.folder, ['update-index', '--add', '--cacheinfo', `120000,${target},link.go`]);
  await git(engine.folder, ['commit', '-q', '-m', 'links']);
  await git(engine.folder, ['push', '-q', 'origin', 'HEAD:main']);
  await engine.runJobs();

  assert.deepEqual(await engine.languages(), []);
});

test('only the default branch counts, through every kind of change', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100 });

  await engine.push({ 'other.py': 5000 }, 'feature');
  assert.deepEqual(await engine.languages(), [['Go', 100]]);
  // The history is rewritten.
  await git(engine.folder, ['checkout', '-q', '--orphan', 'fresh']);
  await git(engine.folder, ['rm', '-q', '-r', '-f', '.']);
  await engine.push({ 'new.rb': 30 });
  assert.deepEqual(await engine.languages(), [['Ruby', 30]]);
});

test('a new default branch is measured when it is set', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100 });
  await engine.push({ 'other.py': 5000 }, 'feature');

  assert.equal((await engine.ada.patch(ENGINE, { default_branch: 'feature' })).status, 200);
  await engine.runJobs();

  assert.deepEqual(await engine.languages(), [
    ['Python', 5000],
    ['Go', 100],
  ]);
  assert.equal(await engine.main(), 'Python');
});

test('a fork has the languages of its parent until the first push to it', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100, 'x.py': 50 });
  const ben = await engine.forge.account('ben');
  const forkLanguages = async () => (await ben.get('/api/v1/repos/ben/engine/languages')).body;

  const answer = await ben.post(`${ENGINE}/forks`, {});
  assert.equal(answer.status, 202, answer.text);

  assert.deepEqual(await forkLanguages(), { Go: 100, Python: 50 });
  assert.equal((await ben.get('/api/v1/repos/ben/engine')).body.language, 'Go');
  await writeFile(join(engine.folder, 'x.py'), 'x'.repeat(300));
  await commitAll(engine.folder, 'more');
  await git(engine.folder, ['push', '-q', ben.remote('ben/engine'), 'HEAD:main']);
  await engine.runJobs();
  assert.deepEqual(await forkLanguages(), { Python: 300, Go: 100 });
  assert.deepEqual(await engine.languages(), [
    ['Go', 100],
    ['Python', 50],
  ]);
});

test('the cost of an update depends on the change, not on the repository', async (t) => {
  const engine = await startEngine(t);
  const files: Record<string, number> = {};
  for (let folder = 0; folder < 40; folder += 1)
    for (let file = 0; file < 10; file += 1) files[`src/f${folder}/x${file}.go`] = 10 + file;
  await engine.push(files);
  assert.deepEqual(await engine.languages(), [['Go', 5800]]);

  const { trees, sizes } = await engine.reads(() => engine.push({ 'src/f7/x3.go': 113 }));

  assert.deepEqual(await engine.languages(), [['Go', 5900]]);
  // A full measurement reads 42 folders and 400 sizes, and a push and other features after it read some, too.
  assert.ok(trees > 0 && trees <= 20, `${trees} folders`);
  assert.ok(sizes > 0 && sizes <= 15, `${sizes} sizes`);
});

test('a measurement whose tree no longer exists starts over', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100, 'x.py': 1 });
  const { database } = engine.forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx
      .updateTable('language_measurements')
      .set({ tree: '1'.repeat(40) })
      .execute();
    await tx.updateTable('repository_languages').set({ bytes: 77777 }).execute();
  });

  await engine.push({ 'x.py': 20 });

  assert.deepEqual(await engine.languages(), [
    ['Go', 100],
    ['Python', 20],
  ]);
});

test('a measurement with earlier rules starts over', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100 });
  const { database } = engine.forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.updateTable('language_measurements').set({ rules: 'earlier' }).execute();
    await tx.updateTable('repository_languages').set({ bytes: 77777 }).execute();
  });

  await engine.push({ 'x.py': 20 });

  assert.deepEqual(await engine.languages(), [
    ['Go', 100],
    ['Python', 20],
  ]);
});

test('measuring again, or measuring a deleted repository, changes nothing', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100 });
  const { languages } = engine.forge.forge.running.services;
  const { signal } = new AbortController();

  await languages.measure(engine.id, signal);
  assert.deepEqual(await engine.languages(), [['Go', 100]]);
  await writeFile(join(engine.folder, 'x.py'), 'x');
  await commitAll(engine.folder, 'more');
  await git(engine.folder, ['push', '-q', 'origin', 'HEAD:main']);
  assert.equal((await engine.ada.delete(ENGINE)).status, 204);
  await engine.runJobs();

  const { database } = engine.forge.forge.running.engines;
  const left = await database.reader.selectFrom('repository_languages').selectAll().execute();
  assert.deepEqual(left, []);
  assert.deepEqual(await engine.forge.forge.running.services.jobs.listFailed(), []);
});

test('languages are visible to every viewer who may read the code', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'main.go': 100 });
  await engine.ada.repository('secret', { private: true });

  assert.deepEqual((await engine.forge.get(`${ENGINE}/languages`)).body, { Go: 100 });
  assert.equal((await engine.forge.get('/api/v1/repos/ada/secret/languages')).status, 404);
});

test('H2: a tree that expands beyond the file limit has no languages', async (t) => {
  const engine = await startEngine(t);
  await engine.push({ 'src/main.go': 100 });
  assert.equal(await engine.main(), 'Go');
  const { engines, services } = engine.forge.forge.running;
  await engines.database.transaction(async (tx) => {
    await tx.updateTable('language_measurements').set({ rules: 'earlier' }).execute();
  });
  const { openTree } = CachedObjectReader.prototype;
  const trees = new Map<string, StoredTree>();
  CachedObjectReader.prototype.openTree = async function (oid) {
    const known = trees.get(oid);
    if (known !== undefined) return known;
    // Simulates a folder that contains itself many times.
    const folders = Array.from({ length: 500 }, (_, index) => ({
      mode: '040000' as const,
      name: `d${index}`,
      oid,
    }));
    const { entries } = await openTree.call(this, oid);
    const tree = new StoredTree('sha1', encodeTree('sha1', [...entries, ...folders]));
    trees.set(oid, tree);
    return tree;
  };
  afterTest(t, () => Object.assign(CachedObjectReader.prototype, { openTree }));
  let turns = 0;
  const counter = setInterval(() => {
    turns += 1;
  }, 1);

  await services.languages.measure(engine.id, new AbortController().signal);

  clearInterval(counter);
  assert.ok(turns > 10, `only ${turns} turns of other work`);
  assert.deepEqual(await engine.languages(), []);
  assert.equal(await engine.main(), '');
});
