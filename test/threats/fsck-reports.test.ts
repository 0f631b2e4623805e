import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBackend } from '../hosting/mirrors/backend.ts';
import { ALLOWED, MIGRATE } from '../hosting/mirrors/sync.ts';
import { startForge } from '../support/forge/forge.ts';
import { git, tryGit, workingCopy } from '../support/git/git.ts';
import { Crafter, type Entry, PLAIN, SIGNED } from './crafted.ts';

type Craft = (crafter: Crafter) => Promise<string>;

const SUBMODULE = '1'.repeat(40);

function withTree(
  ...entries: readonly (readonly [mode: string, name: string, content: string | null])[]
): Craft {
  return async (crafter) => {
    const rows: Entry[] = [];
    for (const [mode, name, content] of entries)
      rows.push([mode, name, content === null ? SUBMODULE : await crafter.blob(content)]);
    return crafter.commit(await crafter.tree(rows), PLAIN);
  };
}

function withCommit(lines: string): Craft {
  return async (crafter) => crafter.commit(await crafter.tree([]), lines);
}

/** Objects that git reports, with the message that it gives for them. */
const REPORTED: Readonly<Record<string, Craft>> = {
  gitattributesMissing: withTree(['160000', '.gitattributes', null]),
  gitmodulesSymlink: withTree(['120000', '.gitmodules', 'x']),
  gitmodulesName: withTree(['100644', '.gitmodules', '[submodule "../No space left"]\npath = x\nurl = y\n']),
  gitmodulesUrl: withTree(['100644', '.gitmodules', '[submodule "x"]\npath = x\nurl = --unable to\n']),
  gitmodulesPath: withTree(['100644', '.gitmodules', '[submodule "x"]\npath = -x\nurl = y\n']),
  gitmodulesUpdate: withTree(['100644', '.gitmodules', '[submodule "x"]\nupdate = !sh\npath = x\nurl = y\n']),
  gitattributesLineLength: withTree(['100644', '.gitattributes', `${'x'.repeat(3000)} text\n`]),
  hasDot: withTree(['100644', '.', 'x']),
  hasDotdot: withTree(['100644', '..', 'x']),
  hasDotgit: withTree(['100644', '.git', 'x']),
  fullPathname: withTree(['100644', 'cannot open/x', 'x']),
  emptyName: withTree(['100644', '', 'x']),
  treeNotSorted: withTree(['100644', 'b', 'x'], ['100644', 'a', 'x']),
  duplicateEntries: withTree(['100644', 'a', 'x'], ['100644', 'a', 'y']),
  nullSha1: async (crafter) => crafter.commit(await crafter.tree([['100644', 'a', '0'.repeat(40)]]), PLAIN),
  badTree: async (crafter) => crafter.commit(await crafter.blob('not a tree'), PLAIN),
  missingAuthor: withCommit(`committer ${SIGNED}\n\nm\n`),
  missingCommitter: withCommit(`author ${SIGNED}\n\nm\n`),
  multipleAuthors: withCommit(`author ${SIGNED}\nauthor ${SIGNED}\ncommitter ${SIGNED}\n\nm\n`),
  badDate: withCommit(`author Ada <a@b> now +0000\ncommitter ${SIGNED}\n\nm\n`),
  badDateOverflow: withCommit(`author Ada <a@b> 99999999999999999999 +0000\ncommitter ${SIGNED}\n\nm\n`),
  badEmail: withCommit(`author Ada <a@b 1 +0000\ncommitter ${SIGNED}\n\nm\n`),
  badName: withCommit(`author Ada> <a@b> 1 +0000\ncommitter ${SIGNED}\n\nm\n`),
  badParentSha1: withCommit(`parent x\n${PLAIN}`),
  missingTypeEntry: (crafter) => crafter.tag(`object ${SUBMODULE}\n\nm\n`),
  badType: (crafter) => crafter.tag(`object ${SUBMODULE}\ntype nonsense\ntag x\n\nm\n`),
};

test('D4: whatever git reports about pushed objects is the answer to the push, never a fault', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  for (const [message, craft] of Object.entries(REPORTED)) {
    const oid = await craft(crafter);
    const pushed = await tryGit(folder, ['push', ada.remote('ada/engine'), `${oid}:refs/tags/${message}`]);
    assert.notEqual(pushed.exitCode, 0, message);
    // Objects that name missing ones fail on the side of the client, which sends nothing then.
    if (
      /pack-objects died|empty filename|bad tree object|unable to read|bad object|not a valid|Could not read/i.test(
        pushed.stderr,
      )
    )
      continue;
    assert.match(pushed.stderr, /remote unpack failed: (?!internal)/, `${message}: ${pushed.stderr}`);
    assert.match(pushed.stderr, /\[remote rejected\] .*unpacker error/, `${message}: ${pushed.stderr}`);
  }
  assert.deepEqual((await ada.get('/api/v1/repos/ada/engine/tags')).body, []);
});

test('D4: a migration of objects that git rejects fails with the reason', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  await crafter.ref('refs/heads/main', await withTree(['160000', '.gitattributes', null])(crafter));
  await git(folder, ['push', '-q', source.folder, 'main']);

  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine' });

  assert.equal(made.status, 422, made.text);
  assert.match(made.body.message, /gitattributes/);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
});

test('D4: what git reports about objects of the API is a 422 with the reason', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const engine = '/api/v1/repos/ada/engine';
  await ada.repository('engine', { auto_init: true });
  const base = (await ada.get(`${engine}/git/trees/main`)).body.sha;
  for (const path of [
    '.gitattributes',
    '.gitmodules',
    '.GITATTRIBUTES',
    'git~1',
    '.git',
    'docs/.gitattributes',
  ])
    for (const mode of ['160000', '120000', '100644']) {
      const isPlain = mode === '100644' && /attributes$/i.test(path);
      const content =
        mode === '160000' ? { sha: SUBMODULE, type: 'commit' } : { content: 'x y\n', type: 'blob' };
      const answer = await ada.post(`${engine}/git/trees`, {
        base_tree: base,
        tree: [{ path, mode, ...content }],
      });
      assert.ok(
        isPlain ? answer.status === 201 : [201, 422].includes(answer.status),
        `${mode} ${path} ${answer.text}`,
      );
    }
  const link = { path: '.gitattributes', mode: '160000', type: 'commit', sha: SUBMODULE };
  const tree = await ada.post(`${engine}/git/trees`, { tree: [link] });
  assert.equal(tree.status, 422, tree.text);
  assert.match(tree.body.message, /gitattributes/);

  const patch = (path: string, mode: string, line: string) =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
  for (const [path, mode, line] of [
    ['.gitattributes', '160000', `Subproject commit ${SUBMODULE}`],
    ['.gitmodules', '120000', 'x'],
    ['.gitattributes', '100644', `${'x'.repeat(3000)} text`],
  ] as const) {
    const answer = await ada.post(`${engine}/diffpatch`, { content: patch(path, mode, line) });
    assert.equal(answer.status, 422, `${path} ${mode} ${answer.text}`);
  }
  // A patch may name files as it likes.
  for (const name of ['unable to read', 'cannot open', 'No space left on device']) {
    const answer = await ada.post(`${engine}/diffpatch`, {
      content: `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`,
    });
    assert.equal(answer.status, 422, answer.text);
  }
});
