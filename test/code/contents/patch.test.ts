import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { converse, statusesIn } from '../../http/exchange.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { MANY_EXPRESSIONS, startServerProcess } from '../transport/server-process.ts';
import { base64, pushedRepository, writeFiles } from './files.ts';

const LOOM = '/api/v1/repos/ada/loom';
const URL = `${LOOM}/diffpatch`;
const TEN = Array.from({ length: 10 }, (_, at) => `line ${at}\n`).join('');

/** A repository with files, and a working copy in which tests make the changes of their patches. */
async function startLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pushed = await pushedRepository(t, ada, 'loom', {
    'a.txt': TEN,
    'docs/größe 1.md': 'plan\n',
    'docs/old.md': 'old\n',
    'run.sh': '#!/bin/sh\n',
    'bin.dat': Buffer.from([0, 1, 2, 3, 255]),
    empty: '',
  });
  const { folder } = pushed;
  /** Commits what the working copy has now. @returns a patch of it, in several forms */
  const patchOf = async (...options: string[]) => {
    await commitAll(folder, 'Subject of the patch');
    return git(folder, ['format-patch', '-1', '--stdout', '--binary', ...options]);
  };
  const apply = (content: string, options: object = {}) => ada.post(URL, { content, ...options });
  const treeOf = async (name: string) => (await ada.get(`${LOOM}/git/trees/${name}`)).body.sha;
  /** Fails unless the branch has the tree of the working copy. */
  const assertSameTree = async (branch = 'main') => {
    const { commit } = (await ada.get(`${LOOM}/git/commits/${branch}`)).body;
    assert.equal(commit.tree.sha, await git(folder, ['rev-parse', 'HEAD^{tree}']));
  };
  return { forge, ada, patchOf, apply, treeOf, assertSameTree, ...pushed };
}

test('a patch adds, changes, deletes, renames and copies files of all kinds, as git does', async (t) => {
  const { ada, folder, patchOf, apply, assertSameTree, commit } = await startLoom(t);
  await writeFiles(folder, {
    'a.txt': TEN.replace('line 3', 'LINE 3').replace('line 9\n', 'no end of line'),
    'new/deep/file.txt': 'new\n',
    'new/with "quotes".txt': 'odd\n',
    'bin.dat': Buffer.from([0, 9, 8, 7, 255, 254]),
    'second.bin': Buffer.alloc(5_000, 7),
    nothing: '',
  });
  await rename(join(folder, 'docs/größe 1.md'), join(folder, 'größe 2.md'));
  await rm(join(folder, 'docs/old.md'));
  await rm(join(folder, 'empty'));
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'empty/now a folder'), 'x\n');
  await chmod(join(folder, 'run.sh'), 0o755);
  await symlink('a.txt', join(folder, 'link'));
  const patch = await patchOf('--find-copies-harder');

  const { status, body } = await apply(patch);

  assert.equal(status, 200, body.message);
  assert.equal(body.content, null);
  assert.equal(body.commit.parents[0].sha, commit);
  assert.equal(body.verification.verified, false);
  await assertSameTree();
  assert.equal((await ada.get(`${LOOM}/commits?limit=1`)).body[0].sha, body.commit.sha);
});

test('patches come as text or base64, from git diff, git format-patch and diff, also several at once', async (t) => {
  const { folder, patchOf, apply, assertSameTree, push } = await startLoom(t);
  await writeFile(join(folder, 'a.txt'), TEN.replace('line 3', 'LINE 3'));
  const first = await patchOf();
  await writeFile(join(folder, 'a.txt'), TEN.replace('line 3', 'LINE 3').replace('line 7', 'LINE 7'));
  const second = await patchOf();
  const both = await git(folder, ['diff', 'HEAD~2', 'HEAD']);
  const plain = both
    .replace(/^diff .*\nindex .*\n/m, '')
    .replaceAll(/^(--- |\+\+\+ )(.*)$/gm, '$1$2\t2024-01-01 00:00:00');
  const back = () => push('--force', 'HEAD~2:main');

  for (const [form, patch] of [
    ['two mails', `${first}\n${second}\n`],
    ['base64', base64(`${both}\n`)],
    ['diff', `${both}\n`],
    ['without a header', `some words\n${plain}\n`],
  ] as const) {
    const { status, body } = await apply(patch);
    assert.equal(status, 200, `${form}: ${body.message}`);
    await assertSameTree();
    await back();
  }
});

test('a patch takes the options of commits: branches, people, dates, a message and a sign-off', async (t) => {
  const { ada, folder, patchOf, apply, assertSameTree, commit } = await startLoom(t);
  await writeFiles(folder, { 'a.txt': 'other\n', 'b.txt': 'b\n' });
  await rm(join(folder, 'docs/old.md'));
  const content = await patchOf();

  const { status, body } = await apply(content, {
    branch: 'main',
    new_branch: 'topic',
    message: 'Mine',
    signoff: true,
    author: { name: 'Grace', email: 'grace@example.org' },
    committer: { name: 'Lin', email: 'lin@example.org' },
    dates: { author: '2020-01-02T03:04:05Z', committer: '2021-01-02T03:04:05Z' },
    sha: 'anything',
    from_path: 'docs/old.md',
  });

  assert.equal(status, 200, body.message);
  assert.equal(body.commit.message, 'Mine\n\nSigned-off-by: Lin <lin@example.org>');
  assert.deepEqual(
    [body.commit.author, body.commit.committer],
    [
      { name: 'Grace', email: 'grace@example.org', date: '2020-01-02T03:04:05Z' },
      { name: 'Lin', email: 'lin@example.org', date: '2021-01-02T03:04:05Z' },
    ],
  );
  await assertSameTree('topic');
  assert.equal((await ada.get(`${LOOM}/branches/main`)).body.commit.id, commit);
  assert.equal((await apply(content, { new_branch: 'topic' })).status, 422);
  assert.equal((await apply(content, { branch: 'missing' })).status, 404);
  assert.equal((await apply(content, { new_branch: 'a..b' })).status, 422);
  const plain = await apply(content);
  assert.equal(plain.body.commit.message, 'Add b.txt\nUpdate a.txt\nDelete docs/old.md\n');
});

test('a patch that does not apply changes nothing, and the response says why', async (t) => {
  const { ada, folder, patchOf, apply, commit } = await startLoom(t);
  await writeFile(join(folder, 'a.txt'), TEN.replace('line 3', 'LINE 3'));
  const content = await patchOf();
  const edited = (from: string, to: string) => content.replace(from, to);
  const newFile = (path: string, mode = '100644') =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
  const cases: readonly [string, string, RegExp][] = [
    ['other lines', edited(' line 2', ' line two'), /patch failed: a\.txt:\d+.*a\.txt: patch does not apply/],
    ['a missing file', content.replaceAll('a.txt', 'missing.txt'), /missing\.txt: does not exist in index/],
    ['a broken hunk', edited(',7 +1,7 @@', ',70 +1,70 @@'), /corrupt patch/],
    ['an existing file', newFile('a.txt'), /a\.txt: already exists in index/],
    ['a file over a folder', newFile('docs'), /docs is a folder/],
    ['a file below a file', newFile('a.txt/x'), /not a folder|beyond/],
    ['text without a patch', 'no patch at all\n', /changes no files/],
    ['no change', 'diff --git a/a.txt b/a.txt\n', /No valid patches|changes no files/],
  ];
  for (const [why, patch, reason] of cases) {
    const { status, body } = await apply(patch);
    assert.equal(status, 422, why);
    assert.match(body.message, reason, why);
    assert.doesNotMatch(body.message, /\/tmp|\/shm|\.git\b/, why);
  }
  for (const body of [{}, { content: '' }, { content: 1 }, { content: '\ud83d' }])
    assert.equal((await ada.post(URL, body)).status, 422, JSON.stringify(body));
  assert.equal((await ada.get(`${LOOM}/branches/main`)).body.commit.id, commit);
});

test('C2: a patch writes no path that leaves the tree or that a file system could read as .git', async (t) => {
  const { apply } = await startLoom(t);
  const paths = [
    '../x',
    'a/../../x',
    '/etc/x',
    '.git/config',
    '.GIT/hooks/x',
    'a/git~1/x',
    '.git /x',
    'x\\y',
    '.g\u200cit/x',
    './x',
  ];
  for (const path of [...paths, 'a//b', 'x'.repeat(300)]) {
    const added = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
    for (const header of ['', `diff --git a/${path} b/${path}\nnew file mode 100755\n`])
      assert.equal((await apply(header + added)).status, 422, JSON.stringify(path));
    const renamed = `diff --git a/run.sh b/${path}\nsimilarity index 100%\nrename from run.sh\nrename to ${path}\n`;
    assert.equal((await apply(renamed)).status, 422, JSON.stringify(path));
  }
});

test('C3: a patch writes nothing below a symlink, even one of its own', async (t) => {
  const { apply } = await startLoom(t);
  const link =
    'diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n';
  const below =
    'diff --git a/link/x b/link/x\nnew file mode 100644\n--- /dev/null\n+++ b/link/x\n@@ -0,0 +1 @@\n+x\n';

  assert.equal((await apply(link + below)).status, 422);
  assert.equal((await apply(below + link)).status, 422);
  assert.equal((await apply(link)).status, 200);
  assert.equal((await apply(below)).status, 422);
});

test('C4: a patch with the names of hooks and of git files runs nothing and writes nothing outside the tree', async (t) => {
  const { ada, apply, folder } = await startLoom(t);
  const names = [
    'hooks/post-index-change',
    'hooks/pre-commit',
    'config',
    'HEAD',
    'objects/info/alternates',
    'patch-index',
  ];
  const patch = names.map((path) => {
    return `diff --git a/${path} b/${path}\nnew file mode 100755\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+touch canary\n`;
  });

  const { status, body } = await apply(patch.join(''));

  assert.equal(status, 200, body.message);
  await git(folder, ['fetch', '-q', ada.remote('ada/loom'), 'main']);
  const listed = await git(folder, ['ls-tree', '-r', '--name-only', 'FETCH_HEAD']);
  for (const name of names) assert.ok(listed.includes(name), name);
  assert.equal((await ada.put(`${LOOM}/contents/run.sh`, { content: '', sha: '1'.repeat(40) })).status, 422);
});

test('D4: a patch of a file that git itself reads is checked as in a push', async (t) => {
  const { apply } = await startLoom(t);
  const modules = (url: string) =>
    `diff --git a/.gitmodules b/.gitmodules\nnew file mode 100644\n--- /dev/null\n+++ b/.gitmodules\n@@ -0,0 +1,3 @@\n+[submodule "a"]\n+\tpath = a\n+\turl = ${url}\n`;

  const hostile = await apply(modules('-u./payload'));
  assert.deepEqual([hostile.status, /git rejects this change/.test(hostile.body.message)], [422, true]);
  assert.equal((await apply(modules('../a'))).status, 200);
});

test('H1: a patch that unpacks to more than git may use is rejected, and the next one is applied', async (t) => {
  const { apply, folder, patchOf } = await startLoom(t);
  const id = '1'.repeat(40);
  const header = `diff --git a/zeros b/zeros\nnew file mode 100644\nindex ${'0'.repeat(40)}..${id}\nGIT binary patch\n`;
  // Bytes in base 85, as git writes them: some compressed data, whatever it is.
  const bomb = `${header}literal 2000000000\nKcmZQzU|?Vb00961\n\nliteral 0\nHcmV?d00001\n\n`;

  const { status, body } = await apply(bomb);

  assert.equal(status, 422);
  assert.match(body.message, /too much time or memory/);
  await writeFile(join(folder, 'a.txt'), 'a\n');
  assert.equal((await apply(await patchOf())).status, 200);
});

test('a patch is too large by its body, its text or its number of files', async (t) => {
  const { forge, ada, apply } = await startLoom(t);
  const added = (at: number) => `--- /dev/null\n+++ b/f${at}\n@@ -0,0 +1 @@\n+x\n`;

  const head = `POST ${URL} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: token ${ada.token}\r\nContent-Type: application/json\r\n`;
  const tooLarge = await converse(forge.url, `${head}Content-Length: ${13 * 1024 * 1024}\r\n\r\n{`);
  assert.deepEqual(statusesIn(tooLarge), [413]);
  assert.equal((await apply(`${'x'.repeat(1023)}\n`.repeat(8 * 1024 + 1))).status, 422);
  assert.equal((await apply(Array.from({ length: 2_001 }, (_, at) => added(at)).join(''))).status, 422);
  const many = await apply(Array.from({ length: 1_500 }, (_, at) => added(at)).join(''));
  assert.equal(many.status, 200);
  assert.equal((await ada.get(`${LOOM}/git/trees/main`)).body.total_count, 1_505);
});

test('a server that has compiled very many regular expressions reads a patch with lines of many characters', async (t) => {
  const forge = await startServerProcess(t, MANY_EXPRESSIONS);
  const send = (path: string, json: object) =>
    request('POST', `${forge.url}/api/v1${path}`, { as: forge.admin, json });
  await send('/user/repos', { name: 'loom', auto_init: true });
  const long = 'a'.repeat(6_000_000);
  const lines = [
    [`--- a/${long}`, 200],
    [`+++ "b/${long}"`, 200],
    [`@@ -${long}`, 200],
    // git reads no patch with this line.
    [`diff --git ${long}`, 422],
  ] as const;
  for (const [number, [line, status]] of lines.entries()) {
    const name = `file-${number}`;
    const added = `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
    const sent = await send('/repos/root/loom/diffpatch', { content: `${line}\n${added}` });
    assert.equal(sent.status, status, `${line.slice(0, 20)}: ${sent.text}`);
  }
});

test('the rules of pushes decide on patches, and only writers send them', async (t) => {
  const { forge, ada, folder, patchOf, apply } = await startLoom(t);
  const grace = await forge.account('grace');
  await writeFile(join(folder, 'run.sh'), 'changed\n');
  const content = await patchOf();
  const rule = { rule_name: 'main', enable_push: true, protected_file_patterns: '*.sh' };
  assert.equal((await ada.post(`${LOOM}/branch_protections`, rule)).status, 201);

  assert.equal((await grace.post(URL, { content })).status, 403);
  assert.equal((await forge.send('POST', URL, { json: { content } })).status, 401);
  assert.equal((await apply(content)).status, 403);
  assert.equal((await apply(content, { new_branch: 'free' })).status, 200);
  await ada.patch(LOOM, { archived: true });
  assert.equal((await apply(content, { new_branch: 'other' })).status, 423);
  await ada.patch(LOOM, { private: true });
  assert.equal((await grace.post(URL, { content })).status, 404);
});

test('a patch with If-Match applies only to the version that the caller has seen', async (t) => {
  const { ada, folder, patchOf } = await startLoom(t);
  await writeFile(join(folder, 'a.txt'), 'a\n');
  const json = { content: await patchOf() };
  const seen = (await ada.get(`${LOOM}/contents`)).headers.get('etag') ?? '';
  await ada.post(`${LOOM}/contents/other.txt`, { content: '' });
  const send = (tag: string) => ada.send('POST', URL, { json, headers: { 'if-match': tag } });

  assert.equal((await send(seen)).status, 412);
  assert.equal((await send((await ada.get(`${LOOM}/contents`)).headers.get('etag') ?? '')).status, 200);
});

test('a patch makes the first commit of an empty repository, and applies while the branch moves', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const added = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;

  assert.equal((await ada.post(URL, { content: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n' })).status, 422);
  assert.equal((await ada.post(URL, { content: added('first') })).status, 200);
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, at) => ada.post(URL, { content: added(`at/once/${at}`) })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal((await ada.get(`${LOOM}/git/trees/main?recursive=1`)).body.total_count, 8);
});
