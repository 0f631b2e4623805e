import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, gitBytes, objectsOf, refsOf, temporaryFolder, workingCopy } from '../../support/git/git.ts';
import { packOf, pktLines, pushBody, sendGit } from './wire.ts';

// Runs once: no outcome depends on the database.

/** Writes an object unchanged, even if git would reject it. */
function write(folder: string, type: string, content: string | Uint8Array): Promise<string> {
  return git(folder, ['hash-object', '-t', type, '-w', '--literally', '--stdin'], { input: content });
}

function treeContent(entries: readonly (readonly [mode: string, name: string, oid: string])[]): Buffer {
  return Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
}

const GOOD = 'Ada <ada@example.org> 1700000000 +0000';

/** Lines of a commit with a mistake that an old tool made. Every version of git reads them. */
const SLIPS: Record<string, { author?: string; committer?: string }> = {
  'a time zone of seven digits': { author: 'Ada <ada@example.org> 1700000000 +0051800' },
  'a time zone out of range': { committer: 'Ada <ada@example.org> 1700000000 -7000' },
  'no space before the date': { author: 'Ada <ada@example.org>1700000000 +0000' },
  'no space before the address': { author: 'Ada<ada@example.org> 1700000000 +0000' },
  'no name': { author: '<ada@example.org> 1700000000 +0000' },
  'no address': { committer: 'Ada 1700000000 +0000' },
  'zeros before the date': { author: 'Ada <ada@example.org> 01700000000 +0000' },
  'an empty address': { author: 'Ada <> 1700000000 +0000' },
};

for (const [slip, lines] of Object.entries(SLIPS)) {
  test(`old history with ${slip} can be pushed, cloned and read`, async (t) => {
    const work = await workingCopy(t);
    const blob = await write(work, 'blob', 'old\n');
    const tree = await write(work, 'tree', treeContent([['100644', 'file', blob]]));
    const head = [`tree ${tree}`, `author ${lines.author ?? GOOD}`, `committer ${lines.committer ?? GOOD}`];
    const old = await write(work, 'commit', `${head.join('\n')}\n\nlong ago\n`);
    const next = await git(work, ['commit-tree', '-m', 'today', '-p', old, tree]);
    await git(work, ['update-ref', 'refs/heads/main', next]);
    await assertRoundTrip(t, work, 'file', 'old\n');
  });
}

test('old trees with zeros before the mode can be pushed, cloned and read', async (t) => {
  const work = await workingCopy(t);
  const blob = await write(work, 'blob', 'old\n');
  const inner = await write(work, 'tree', treeContent([['100644', 'file', blob]]));
  const tree = await write(
    work,
    'tree',
    treeContent([
      ['100644', 'a', blob],
      ['040000', 'folder', inner],
    ]),
  );
  const commit = await git(work, ['commit-tree', '-m', 'old', tree]);
  await git(work, ['update-ref', 'refs/heads/main', commit]);
  await assertRoundTrip(t, work, 'folder/file', 'old\n');
});

async function assertRoundTrip(t: TestContext, work: string, path: string, content: string): Promise<void> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('old');
  await git(work, ['push', '-q', ada.remote('ada/old'), 'main']);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', '--mirror', ada.remote('ada/old'), copy]);
  assert.deepEqual(await refsOf(copy), await refsOf(work));
  assert.deepEqual(await objectsOf(copy), await objectsOf(work));
  assert.equal((await ada.get(`/api/v1/repos/ada/old/raw/${path}`)).text, content);
  const listed = await ada.get('/api/v1/repos/ada/old/contents');
  assert.equal(listed.status, 200, listed.text);
  // A commit created over the API on such a history is valid, and git can build on it.
  const added = await ada.post('/api/v1/repos/ada/old/contents/new', { content: 'bmV3Cg==' });
  assert.equal(added.status, 201, added.text);
  await git(copy, ['fetch', '-q']);
  assert.equal(await git(copy, ['show', 'main:new']), 'new');
  const { problems } = await forge.forge.running.engines.git.upkeep.verify(await forge.firstRepository());
  assert.deepEqual(problems, []);
}

/** Trees that can harm readers or checkouts. */
const HARMFUL: Record<string, (folder: string, blob: string) => Promise<string>> = {
  'a folder named ..': (folder, blob) => write(folder, 'tree', treeContent([['100644', '..', blob]])),
  'a folder named .': (folder, blob) => write(folder, 'tree', treeContent([['100644', '.', blob]])),
  'a file named .git': (folder, blob) => write(folder, 'tree', treeContent([['100644', '.git', blob]])),
  'a file named .GIT': (folder, blob) => write(folder, 'tree', treeContent([['100644', '.GIT', blob]])),
  'a file named git~1': (folder, blob) => write(folder, 'tree', treeContent([['100644', 'git~1', blob]])),
  'a slash in a name': (folder, blob) => write(folder, 'tree', treeContent([['100644', 'a/b', blob]])),
  'an empty name': (folder, blob) => write(folder, 'tree', treeContent([['100644', '', blob]])),
  'two entries with the same name': (folder, blob) =>
    write(
      folder,
      'tree',
      treeContent([
        ['100644', 'a', blob],
        ['100644', 'a', blob],
      ]),
    ),
  'entries out of order': (folder, blob) =>
    write(
      folder,
      'tree',
      treeContent([
        ['100644', 'b', blob],
        ['100644', 'a', blob],
      ]),
    ),
  '.gitmodules as a symlink': (folder, blob) =>
    write(folder, 'tree', treeContent([['120000', '.gitmodules', blob]])),
};

const HARMFUL_COMMITS: Record<string, (tree: string) => string> = {
  'two authors': (tree) => `tree ${tree}\nauthor ${GOOD}\nauthor ${GOOD}\ncommitter ${GOOD}\n\nx\n`,
  'a NUL in its header': (tree) => `tree ${tree}\nauthor A\0da <a@b> 1 +0000\ncommitter ${GOOD}\n\nx\n`,
  'no author': (tree) => `tree ${tree}\ncommitter ${GOOD}\n\nx\n`,
  'no tree': () => `author ${GOOD}\ncommitter ${GOOD}\n\nx\n`,
  'the oid of a missing tree': (tree) =>
    `tree ${tree.replace(/^./, 'x')}\nauthor ${GOOD}\ncommitter ${GOOD}\n\nx\n`,
};

test("D4: trees and commits that can harm readers are rejected, with git's reason", async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('harmed');
  const work = await workingCopy(t);
  const blob = await write(work, 'blob', 'x\n');
  const good = await write(work, 'tree', treeContent([['100644', 'file', blob]]));
  const commits: [string, string][] = [];
  for (const [what, make] of Object.entries(HARMFUL)) {
    const tree = await make(work, blob);
    commits.push([
      what,
      await write(work, 'commit', `tree ${tree}\nauthor ${GOOD}\ncommitter ${GOOD}\n\nx\n`),
    ]);
  }
  for (const [what, make] of Object.entries(HARMFUL_COMMITS)) {
    commits.push([what, await write(work, 'commit', make(good))]);
  }
  for (const [what, commit] of commits) {
    const pack = await packOf(work, [commit]).catch(() => packOfOne(work, commit));
    const body = pushBody({ commands: [{ new: commit, ref: 'refs/heads/main' }], pack });
    const answer = await sendGit(forge.url, 'ada/harmed/git-receive-pack', {
      as: { token: ada.token },
      body,
    });
    const [unpack = '', ref = ''] = pktLines(answer.bytes);
    assert.match(unpack, /^unpack (?!ok)./, what);
    assert.match(ref, /^ng refs\/heads\/main /, what);
    assert.ok(!unpack.includes(forge.forge.dataFolder), unpack);
  }
  assert.deepEqual(await refsOf(work, ada.remote('ada/harmed')), []);
});

/** Packs one object without the objects that it refers to. */
function packOfOne(folder: string, oid: string): Promise<Buffer> {
  return gitBytes(folder, ['pack-objects', '--stdout', '-q'], { input: `${oid}\n` });
}
