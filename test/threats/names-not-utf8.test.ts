import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { archiveOf, download, tar } from '../code/archives/archives.ts';
import { base64, contentsOf, encodedPath, rawOf } from '../code/contents/files.ts';
import { startForge } from '../support/forge/forge.ts';
import { NotesApp } from '../support/forge/notes.ts';
import { git, gitBytes, workingCopy } from '../support/git/git.ts';
import { endJobs, watchProcesses } from '../support/git/started-processes.ts';
import { Crafter, type Entry, PLAIN } from './crafted.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const GRAVE = '"caf\\350.txt"';
const ACUTE = '"caf\\351.txt"';
/** A name of valid UTF-8 that looks like the one before. */
const ALIKE = '"\\"caf\\\\351.txt\\""';
const FOLDER = '"\\377\\376"';
const BELOW = `${FOLDER}/"in\\351.txt"`;

/** Contents by paths of the API. */
const FILES: ReadonlyMap<string, string> = new Map([
  [ALIKE, 'alike'],
  [GRAVE, 'grave'],
  [ACUTE, 'acute'],
  ['plain.txt', 'plain'],
  [BELOW, 'below'],
]);

const bytes = (name: string) => Buffer.from(name, 'latin1');

function sorted(entries: readonly Entry[]): readonly Entry[] {
  const key = ([mode, name]: Entry) =>
    Buffer.concat([Buffer.from(name), Buffer.from(mode === '40000' ? '/' : '')]);
  return entries.toSorted((one, other) => Buffer.compare(key(one), key(other)));
}

/** Pushes files whose names are not UTF-8 in two commits: the second one changes ACUTE. */
async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  const put = async (acute: string) => {
    const below = await crafter.tree([['100644', bytes('in\xe9.txt'), await crafter.blob('below')]]);
    return crafter.tree(
      sorted([
        ['100644', '"caf\\351.txt"', await crafter.blob('alike')],
        ['100644', bytes('caf\xe8.txt'), await crafter.blob('grave')],
        ['100644', bytes('caf\xe9.txt'), await crafter.blob(acute)],
        ['100644', 'plain.txt', await crafter.blob('plain')],
        ['40000', bytes('\xff\xfe'), below],
      ]),
    );
  };
  const first = await crafter.commit(await put('first'), PLAIN);
  const second = await crafter.commit(await put('acute'), `parent ${first}\n${PLAIN}`);
  await crafter.ref('refs/heads/main', second);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  /** Returns what git says the branch has: lines with modes, ids and names of bytes, without those of some names. */
  const stored = async (without: readonly string[] = []) => {
    await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
    const listed = await gitBytes(folder, ['ls-tree', '-r', '-z', 'FETCH_HEAD']);
    const rows = listed.toString('latin1').split('\0').slice(0, -1);
    return rows.filter((row) => !without.includes(row.slice(row.indexOf('\t') + 1)));
  };
  const at = (path: string) => contentsOf('ada/engine', path);
  const commitsAt = async (path: string) => {
    const listed = await ada.get(`${ENGINE}/commits?path=${encodeURIComponent(path)}`);
    assert.equal(listed.status, 200, listed.text);
    return listed.body.map(({ sha }: { sha: string }) => sha);
  };
  return { forge, ada, folder, crafter, first, second, stored, at, commitsAt };
}

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly sha: string;
  readonly type: string;
  readonly url: string;
  readonly html_url: string;
  readonly git_url: string;
  readonly download_url: string | null;
  readonly last_commit_sha: string;
}

test('C2: names that are not UTF-8 differ, and each of their addresses works', async (t) => {
  const { forge, ada, first, second, at } = await startEngine(t);
  const follow = (url: string) => ada.get(url.slice(forge.url.length));
  const found = new Map<string, string>();
  const list = async (url: string) => {
    for (const entry of (await follow(url)).body as Listed[]) {
      for (const address of [entry.url, entry.html_url, entry.git_url])
        assert.equal((await follow(address)).status, 200, address);
      assert.equal(entry.last_commit_sha, entry.path === ACUTE ? second : first, entry.path);
      if (entry.type === 'dir') {
        await list(entry.url);
        continue;
      }
      const { body } = await follow(entry.url);
      assert.deepEqual([body.name, body.path, body.sha], [entry.name, entry.path, entry.sha]);
      assert.equal(body.last_commit_sha, entry.last_commit_sha);
      const { text } = await follow(entry.download_url ?? '');
      assert.deepEqual([text, body.content], [FILES.get(entry.path), base64(text)], entry.path);
      found.set(entry.path, text);
    }
  };

  await list(`${forge.url}${at('')}`);

  assert.deepEqual(new Set(found), new Set(FILES));
  const page = await ada.get('/ada/engine/src/branch/main');
  for (const path of [GRAVE, ACUTE, ALIKE, FOLDER])
    assert.ok(page.text.includes(`href="/ada/engine/src/branch/main/${encodedPath(path)}"`), page.text);
});

test('C2: all reads take the paths of names that are not UTF-8', async (t) => {
  const { ada, first, second, at, commitsAt } = await startEngine(t);
  const tree = (await ada.get(`${ENGINE}/git/trees/main?recursive=true`)).body.tree;
  const paths = tree.map(({ path }: { path: string }) => path);
  assert.deepEqual(new Set(paths), new Set([...FILES.keys(), FOLDER]));
  const sub = await ada.get(`${ENGINE}/git/trees/main:${encodeURIComponent(FOLDER)}`);
  assert.equal(sub.body.tree[0].path, BELOW.slice(FOLDER.length + 1));
  for (const [path, content] of FILES) {
    assert.equal((await ada.get(rawOf('ada/engine', path))).text, content, path);
    assert.equal((await ada.get(`${ENGINE}/media/${encodedPath(path)}`)).text, content, path);
    const ext = await ada.get(`${ENGINE}/contents-ext/${encodedPath(path)}?includes=commit_metadata`);
    const expected = path === ACUTE ? second : first;
    assert.deepEqual(ext.body.file_contents.last_commit_sha, expected, path);
    assert.deepEqual(await commitsAt(path), path === ACUTE ? [second, first] : [first]);
  }
  assert.deepEqual(await commitsAt(FOLDER), [first]);
  const several = await ada.post(`${ENGINE}/file-contents`, { files: [...FILES.keys()] });
  assert.deepEqual(
    several.body.map((each: Listed | null) => each?.path),
    [...FILES.keys()],
  );

  // Nothing else has the place of such a name.
  for (const other of ['caf\ufffd.txt', '"caf\\352.txt"', 'caf\\351.txt', '\ufffd\ufffd'])
    assert.equal((await ada.get(at(other))).status, 404, other);
  const raw = await ada.get(rawOf('ada/engine', ACUTE));
  assert.match(raw.headers.get('content-disposition') ?? '', /filename\*=UTF-8''caf%EF%BF%BD\.txt$/);
});

test('C2: commits and comparisons name changed files that are not UTF-8', async (t) => {
  const { ada, first, second } = await startEngine(t);
  const filesOf = ({ files }: { files: { filename: string; status: string }[] }) =>
    files.map(({ filename, status }) => [filename, status]);
  const changed = [[ACUTE, 'modified']];

  assert.deepEqual(filesOf((await ada.get(`${ENGINE}/git/commits/${second}`)).body), changed);
  const initial = filesOf((await ada.get(`${ENGINE}/git/commits/${first}`)).body);
  assert.deepEqual(new Set(initial.map(([path]) => path)), new Set(FILES.keys()));
  const listed = (await ada.get(`${ENGINE}/commits?path=${encodeURIComponent(ACUTE)}&files=true`)).body;
  assert.deepEqual(filesOf(listed[0]), changed);
  const compared = (await ada.get(`${ENGINE}/compare/${first}...${second}`)).body;
  assert.deepEqual(filesOf(compared), changed);
});

test('C2: git finds the commits of a name that is not UTF-8, if the index cannot', async (t) => {
  const { ada, folder, crafter, first, second } = await startEngine(t);
  const since = async (path: string, query: string) => {
    const started = watchProcesses(t);
    const listed = await ada.get(`${ENGINE}/commits?path=${encodeURIComponent(path)}&${query}`);
    assert.ok(started().some((command) => command.includes('--literal-pathspecs')));
    return listed;
  };
  const changed = await since(ACUTE, `not=${first}`);
  assert.deepEqual(
    changed.body.map(({ sha }: { sha: string }) => sha),
    [second],
  );
  assert.equal((await since(GRAVE, `not=${first}`)).status, 404);

  // Only an argument of git may have several lines, and it is valid Unicode.
  const lines = await crafter.tree([['100644', bytes('two\nlines\xe9'), await crafter.blob('x')]]);
  const third = await crafter.commit(lines, `parent ${second}\n${PLAIN}`);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), `${third}:refs/heads/main`]);
  const path = '"two\\012lines\\351"';
  const found = await ada.get(`${ENGINE}/commits?path=${encodeURIComponent(path)}`);
  assert.equal(found.body[0].sha, third);
  const refused = await ada.get(`${ENGINE}/commits?path=${encodeURIComponent(path)}&not=${first}`);
  assert.equal(refused.status, 422, refused.text);
});

test('C2: the history of a name that is not UTF-8 is the same before and after it is indexed', async (t) => {
  const { forge, ada, folder, crafter, first, second, commitsAt } = await startEngine(t);
  const { tree } = (await ada.get(`${ENGINE}/git/commits/main`)).body.commit;
  const merge = await crafter.commit(tree.sha, `parent ${second}\nparent ${first}\n${PLAIN}`);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), `${merge}:refs/heads/main`]);
  const assertListed = async () => {
    assert.deepEqual(await commitsAt(ACUTE), [second, first]);
    assert.deepEqual(await commitsAt(GRAVE), [first]);
    assert.deepEqual(await commitsAt(ALIKE), [first]);
    assert.deepEqual(await commitsAt(BELOW), [first]);
    assert.deepEqual(await commitsAt(FOLDER), [first]);
  };
  await assertListed();
  const { services } = forge.forge.running;
  const { id } = (await ada.get(ENGINE)).body;
  while (await services.lastCommits.index(id, new AbortController().signal));
  await endJobs(forge);
  await assertListed();
});

test('C2: a name that is not UTF-8 can be changed, deleted and moved away, and others keep their bytes', async (t) => {
  const { ada, stored, at, commitsAt } = await startEngine(t);
  const before = await stored();
  assert.equal(before.length, FILES.size);
  const shaOf = async (path: string) => (await ada.get(at(path))).body.sha;

  assert.equal(
    (await ada.put(at('plain.txt'), { content: base64('b'), sha: await shaOf('plain.txt') })).status,
    200,
  );
  assert.equal((await ada.post(at('new.txt'), { content: base64('n') })).status, 201);
  assert.equal((await ada.post(at(`${FOLDER}/new.txt`), { content: base64('n') })).status, 201);
  const edited = ['plain.txt', 'new.txt', '\xff\xfe/new.txt'];
  assert.deepEqual(
    await stored(edited),
    before.filter((row) => !row.endsWith('plain.txt')),
  );

  const changed = await ada.put(at(ACUTE), { content: base64('changed'), sha: await shaOf(ACUTE) });
  assert.deepEqual([changed.status, changed.body.content.path], [200, ACUTE], changed.text);
  assert.equal((await commitsAt(ACUTE)).length, 3);
  assert.equal((await ada.get(rawOf('ada/engine', GRAVE))).text, 'grave');

  const moved = await ada.put(at('caf\u00e9.txt'), {
    content: base64('m'),
    sha: await shaOf(ACUTE),
    from_path: ACUTE,
  });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await ada.delete(at(GRAVE), { sha: await shaOf(GRAVE) })).status, 200);
  assert.equal((await ada.delete(at(ALIKE), { sha: await shaOf(ALIKE) })).status, 200);
  const several = await ada.post(`${ENGINE}/contents`, {
    files: [
      { operation: 'delete', path: BELOW, sha: await shaOf(BELOW) },
      { operation: 'delete', path: `${FOLDER}/new.txt`, sha: await shaOf(`${FOLDER}/new.txt`) },
    ],
  });
  assert.equal(several.status, 201, several.text);
  for (const path of [ACUTE, GRAVE, ALIKE, BELOW, FOLDER])
    assert.equal((await ada.get(at(path))).status, 404, path);
  const left = (await stored()).map((row) => row.slice(row.indexOf('\t') + 1));
  assert.deepEqual(left, ['caf\xc3\xa9.txt', 'new.txt', 'plain.txt']);
});

test('C2: nothing new gets a name in the form that stands for bytes', async (t) => {
  const { ada, at, stored } = await startEngine(t);
  const before = await stored();
  const { sha } = (await ada.get(at('plain.txt'))).body;
  const fresh = '"new\\351.txt"';
  const tree = [{ path: fresh, mode: '100644', type: 'blob', sha }];
  for (const refused of [
    await ada.post(at(fresh), { content: base64('n') }),
    await ada.post(at(`"new\\351"/plain.txt`), { content: base64('n') }),
    await ada.put(at(fresh), { content: base64('n'), sha, from_path: 'plain.txt' }),
    await ada.post(`${ENGINE}/contents`, {
      files: [{ operation: 'create', path: fresh, content: base64('n') }],
    }),
    await ada.post(`${ENGINE}/git/trees`, { tree }),
  ]) {
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.message, /not UTF-8/);
  }
  assert.deepEqual(await stored(), before);
  const base = (await ada.get(`${ENGINE}/git/trees/main`)).body.sha;
  const changed = await ada.post(`${ENGINE}/git/trees`, {
    base_tree: base,
    tree: [{ ...tree[0], path: ACUTE }],
  });
  assert.equal(changed.status, 201, changed.text);
  const entry = changed.body.tree.find(({ path }: { path: string }) => path === ACUTE);
  assert.equal(entry.sha, sha);
});

test('C2: a patch changes, deletes and renames files whose names are not UTF-8', async (t) => {
  const { ada, crafter, folder, stored, second } = await startEngine(t);
  const next = await crafter.tree(
    sorted([
      ['100644', bytes('caf\xe9.txt'), await crafter.blob('patched\n')],
      ['100644', 'grave.txt', await crafter.blob('grave')],
      ['100644', 'plain.txt', await crafter.blob('plain')],
    ]),
  );
  const quoted = await git(folder, ['diff', '-M', '--binary', second, next]);
  const applied = await ada.post(`${ENGINE}/diffpatch`, { content: `${quoted}\n` });
  assert.equal(applied.status, 200, applied.text);
  const listed = await gitBytes(folder, ['ls-tree', '-r', '-z', next]);
  assert.deepEqual(await stored(), listed.toString('latin1').split('\0').slice(0, -1));

  const added =
    'diff --git "a/n\\351" "b/n\\351"\nnew file mode 100644\n--- /dev/null\n+++ "b/n\\351"\n@@ -0,0 +1 @@\n+x\n';
  const refused = await ada.post(`${ENGINE}/diffpatch`, { content: added });
  assert.deepEqual([refused.status, /not UTF-8/.test(refused.text)], [422, true], refused.text);
});

test('C2: an archive has names that are not UTF-8, and leaves out the unsafe ones among them', async (t) => {
  const { forge, ada, folder, crafter } = await startEngine(t);
  const blob = await crafter.blob('x');
  const below = await crafter.tree(
    sorted([
      ['100644', bytes('a\\\xe9'), blob],
      ['100644', bytes('f\xe9'), blob],
    ]),
  );
  const tree = await crafter.tree(
    sorted([
      ['100644', bytes('C:\xe9*[x'), blob],
      ['100644', bytes('[x\xe9'), blob],
      ['40000', bytes('d\xe9*'), below],
      ['40000', bytes('un\\safe\xe9'), below],
    ]),
  );
  await crafter.ref('refs/heads/odd', await crafter.commit(tree, PLAIN));
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'odd']);

  const { status, bytes: archive } = await download(forge, archiveOf('ada/engine', 'odd.tar.gz'));
  assert.equal(status, 200, archive.toString());
  const listed = await tar(['-tzf', '-', '--quoting-style=escape'], archive);
  assert.deepEqual(listed.trim().split('\n').sort(), [
    'engine/',
    'engine/LEFT-OUT-OF-THIS-ARCHIVE.txt',
    'engine/[x\\351',
    'engine/d\\351*/',
    'engine/d\\351*/f\\351',
  ]);
  const notice = await tar(['-xzOf', '-', 'engine/LEFT-OUT-OF-THIS-ARCHIVE.txt'], archive);
  const names = notice
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
  assert.deepEqual(new Set(names), new Set(['"C:\\351*[x"', '"d\\351*"/"a\\\\\\351"', '"un\\\\safe\\351"']));
  const main = await download(forge, archiveOf('ada/engine', 'main.zip'));
  assert.equal(main.status, 200);
});

test('C2: a submodule at a path that is not UTF-8 has its address', async (t) => {
  const { ada, folder, crafter, at } = await startEngine(t);
  const modules = bytes('[submodule "s"]\n\tpath = s\xe9\xa0\n\turl = https://example.org/s.git\n');
  const tree = await crafter.tree([
    ['100644', '.gitmodules', await crafter.blob(modules)],
    ['160000', bytes('s\xe9\xa0'), '1'.repeat(40)],
  ]);
  await crafter.ref('refs/heads/sub', await crafter.commit(tree, PLAIN));
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'sub']);
  const { body } = await ada.get(`${at('"s\\351\\240"')}?ref=sub`);
  assert.deepEqual([body.type, body.submodule_git_url], ['submodule', 'https://example.org/s.git']);
});

test('patterns of protected files see the endings of names that are not UTF-8', async (t) => {
  const { ada, folder, crafter } = await startEngine(t);
  const rule = { rule_name: 'main', enable_push: true, protected_file_patterns: '*.pem' };
  assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);
  const parent = await git(folder, ['rev-parse', 'main']);
  const tree = await crafter.tree([['100644', bytes('k\xe9y.pem'), await crafter.blob('x')]]);
  await crafter.ref('refs/heads/main', await crafter.commit(tree, `parent ${parent}\n${PLAIN}`));
  await assert.rejects(git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']), /may not change/);
});

test('names that are not UTF-8 count by their endings for languages and the EditorConfig', async (t) => {
  const { forge, ada, folder, crafter, at } = await startEngine(t);
  const tree = await crafter.tree([
    ['100644', '.editorconfig', await crafter.blob('[*.js]\nindent_size = 3\n')],
    ['100644', bytes('k\xe9y.js'), await crafter.blob('f();')],
  ]);
  await crafter.ref('refs/heads/main', await crafter.commit(tree, PLAIN));
  await git(folder, ['push', '-q', '-f', ada.remote('ada/engine'), 'main']);
  await endJobs(forge);
  const path = '"k\\351y.js"';
  assert.equal((await ada.get(at(path))).status, 200);
  assert.deepEqual((await ada.get(`${ENGINE}/languages`)).body, { JavaScript: 4 });
  const definition = await ada.get(`${ENGINE}/editorconfig/${encodedPath(path)}`);
  assert.equal(definition.body.indent_size, '3', definition.text);
});

test('C9: files beside the notes whose names are not UTF-8 keep their bytes', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  await app.create({ title: 'first' });
  const folder = await app.clone(t);
  const crafter = new Crafter(folder);
  const blob = await crafter.blob('x');
  const below = await crafter.tree([['100644', bytes('n\xe9.md'), blob]]);
  const entries = sorted([
    ['100644', 'first.md', await crafter.blob('')],
    ['100644', bytes('caf\xe8.md'), blob],
    ['100644', bytes('caf\xe9.md'), blob],
    ['40000', bytes('\xff'), below],
  ]);
  const commit = await crafter.commit(await crafter.tree(entries), PLAIN);
  await git(folder, ['push', '-q', '-f', 'origin', `${commit}:refs/heads/main`]);

  const [note, ...others] = await app.list();
  assert.deepEqual([note?.title, others], ['first', []]);
  assert.equal((await app.update(note?.id ?? 0, { content: 'saved' })).content, 'saved');
  await app.create({ title: 'caf' });
  await git(folder, ['fetch', '-q', 'origin']);
  const stored = await gitBytes(folder, ['ls-tree', '-r', '-z', '--name-only', 'origin/main']);
  const names = ['caf.md', 'caf\xe8.md', 'caf\xe9.md', 'first.md', '\xff/n\xe9.md'];
  assert.deepEqual(stored.toString('latin1').split('\0').slice(0, -1), names);
});
