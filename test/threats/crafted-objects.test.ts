import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf, rawOf } from '../code/contents/files.ts';
import { type Person, startForge } from '../support/forge/forge.ts';
import { tryGit, workingCopy } from '../support/git/git.ts';
import { Crafter, PLAIN, SIGNED } from './crafted.ts';

// Runs once: no outcome depends on the database.

type Craft = (crafter: Crafter) => Promise<string>;

async function plainTree(crafter: Crafter): Promise<string> {
  return crafter.tree([['100644', 'file', await crafter.blob('x')]]);
}

function withCommit(lines: string | Buffer): Craft {
  return async (crafter) => crafter.commit(await plainTree(crafter), lines);
}

function withEntries(
  ...entries: (readonly [mode: string, name: string | Buffer, content: string | Buffer])[]
): Craft {
  return async (crafter) => {
    const rows = [];
    for (const [mode, name, content] of entries)
      rows.push([mode, name, await crafter.blob(content)] as const);
    return crafter.commit(await crafter.tree(rows), PLAIN);
  };
}

async function nested(crafter: Crafter, depth: number): Promise<string> {
  let tree = await plainTree(crafter);
  for (let level = 0; level < depth; level += 1) tree = await crafter.tree([['40000', 'd', tree]]);
  return crafter.commit(tree, PLAIN);
}

const CRAFTED: Readonly<Record<string, Craft>> = {
  'a date far in the future': withCommit(
    `author Ada <ada@example.org> 99999999999999 +0000\ncommitter Ada <ada@example.org> 99999999999999 +0000\n\nm\n`,
  ),
  'a date of nineteen digits': withCommit(
    `author Ada <ada@example.org> 9223372036854775807 +0000\ncommitter Ada <ada@example.org> 9223372036854775806 +0000\n\nm\n`,
  ),
  'an invalid time zone': withCommit(
    `author Ada <a@b> 1700000000 +9999999\ncommitter Ada <a@b> 1700000000 -7\n\nm\n`,
  ),
  'a carriage return in a name': withCommit(`author A\rB <a@b> 1700000000 +0000\ncommitter ${SIGNED}\n\nm\n`),
  'a name that is not UTF-8': withCommit(
    Buffer.concat([
      Buffer.from('author '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(` <a@b> 1 +0000\ncommitter ${SIGNED}\n\n`),
      Buffer.from([0xff]),
    ]),
  ),
  'an unknown encoding': withCommit(`author ${SIGNED}\ncommitter ${SIGNED}\nencoding nonsense\n\nm\n`),
  'no message': withCommit(`author ${SIGNED}\ncommitter ${SIGNED}\n\n`),
  'unknown headers and a signature': withCommit(
    `author ${SIGNED}\ncommitter ${SIGNED}\nx-odd\ngpgsig -----BEGIN\n \n x\nmergetag object\n y\n\nm\n`,
  ),
  'a name that is not UTF-8 in a tree': withEntries(
    ['100644', Buffer.from([0x61, 0xff]), 'x'],
    ['100644', 'b', 'x'],
  ),
  'two names that look the same as text': withEntries(
    ['100644', Buffer.from([0x61, 0xfe]), 'x'],
    ['100644', Buffer.from([0x61, 0xff]), 'y'],
  ),
  'a backslash, a line end and a percent in names': withEntries(
    ['100644', '%2e%2e', 'x'],
    ['100644', 'a\nb', 'x'],
    ['100644', 'a\\..\\b', 'x'],
  ),
  'a symlink with a target of one megabyte': withEntries(
    ['120000', 'link', 'x'.repeat(1024 * 1024)],
    ['100644', 'z', 'x'],
  ),
  'a symlink with a target that is not UTF-8': withEntries(['120000', 'link', Buffer.from([0xff, 0, 0xfe])]),
  'a symlink out of the repository': withEntries(['120000', 'link', '../../../../etc/passwd']),
  'obsolete modes': withEntries(['100664', 'group', 'x'], ['0100644', 'padded', 'x']),
  'an invalid .gitmodules': withEntries(
    ['100644', '.gitmodules', '[submodule "\\x"]\npath = ../..\nurl\n[submodule\n\0'],
    ['100644', 'b', 'x'],
  ),
  'a submodule with no .gitmodules': async (crafter) =>
    crafter.commit(await crafter.tree([['160000', 'lib', '1'.repeat(40)]]), PLAIN),
  'an empty tree': async (crafter) => crafter.commit(await crafter.tree([]), PLAIN),
  'an empty folder': async (crafter) =>
    crafter.commit(await crafter.tree([['40000', 'empty', await crafter.tree([])]]), PLAIN),
  'folders 1,500 deep': (crafter) => nested(crafter, 1500),
  'one parent many times': async (crafter) => {
    const tree = await plainTree(crafter);
    const parent = await crafter.commit(tree, PLAIN);
    return crafter.commit(tree, `${`parent ${parent}\n`.repeat(3)}${PLAIN}`);
  },
};

/** Reads everything that the API shows of one ref and returns the status of each URL. */
async function walk(ada: Person, repository: string, ref: string): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const query = `?ref=${encodeURIComponent(ref)}`;
  const read = async (url: string) => {
    const answer = await ada.get(url);
    statuses.set(url, answer.status);
    return answer;
  };
  const root = await read(`/api/v1/repos/${repository}/contents${query}`);
  for (const entry of Array.isArray(root.body) ? root.body : []) {
    await read(`${contentsOf(repository, entry.path)}${query}`);
    await read(`${rawOf(repository, entry.path)}${query}`);
    for (const date of [entry.last_commit_when]) assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
  await read(`${contentsOf(repository, 'd/d/d')}${query}`);
  return statuses;
}

test('D4: reading crafted objects that git accepts over the API never returns 5xx', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  let read = 0;
  for (const [index, [name, craft]] of Object.entries(CRAFTED).entries()) {
    const branch = `crafted-${index}`;
    await crafter.ref(`refs/heads/${branch}`, await craft(crafter));
    const push = await tryGit(folder, ['push', '-q', ada.remote('ada/engine'), branch]);
    if (push.exitCode !== 0) {
      assert.match(push.stderr, /unpacker error|\[remote rejected\]/, `${name}: ${push.stderr}`);
      continue;
    }
    for (const [url, status] of await walk(ada, 'ada/engine', branch))
      assert.ok(status === 200 || status === 404, `${name}: ${url} returned ${status}`);
    const written = await ada.post(contentsOf('ada/engine', 'written/by-api'), { content: '', branch });
    assert.equal(written.status, 201, `${name}: ${written.text}`);
    assert.equal((await ada.get(`${contentsOf('ada/engine', 'written')}?ref=${branch}`)).status, 200, name);
    read += 1;
  }
  assert.ok(read >= 15, `git accepted only ${read}`);
});

test('D4: a folder with an entry that cannot be shown is listed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  const craft = withEntries(['120000', 'link', 'x'.repeat(100_000)], ['100644', 'z', 'x']);
  await crafter.ref('refs/heads/main', await craft(crafter));
  assert.equal((await tryGit(folder, ['push', '-q', ada.remote('ada/engine'), 'main'])).exitCode, 0);

  const root = await ada.get('/api/v1/repos/ada/engine/contents');
  const raw = await ada.get(rawOf('ada/engine', 'link'));

  assert.deepEqual(
    root.body.map((entry: Record<string, unknown>) => [entry.path, entry.type, entry.size, entry.target]),
    [
      ['link', 'symlink', 100_000, null],
      ['z', 'file', 1, null],
    ],
  );
  assert.equal(raw.text.length, 100_000);
});

test('D4: a nested tag resolves to its commit, and a tag of a blob or tree to none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  const blob = await crafter.blob('x');
  const tree = await plainTree(crafter);
  const commit = await crafter.commit(tree, PLAIN);
  const tagOf = (object: string, type: string) =>
    crafter.tag(`object ${object}\ntype ${type}\ntag t\ntagger ${SIGNED}\n\nm\n`);
  let chain = commit;
  for (let depth = 0; depth < 60; depth += 1) chain = await tagOf(chain, depth === 0 ? 'commit' : 'tag');
  const tags: Record<string, [oid: string, status: number]> = {
    'of-commit': [await tagOf(commit, 'commit'), 200],
    'of-tag': [await tagOf(await tagOf(commit, 'commit'), 'tag'), 200],
    'of-blob': [await tagOf(blob, 'blob'), 404],
    'of-tree': [await tagOf(tree, 'tree'), 404],
    'plain-blob': [blob, 404],
    'plain-tree': [tree, 404],
  };
  for (const [name, [oid]] of Object.entries(tags)) await crafter.ref(`refs/tags/${name}`, oid);
  const remote = ada.remote('ada/engine');
  assert.equal((await tryGit(folder, ['push', '-q', remote, '--tags'])).exitCode, 0);
  await crafter.ref('refs/tags/chain', chain);

  for (const [name, [, status]] of Object.entries(tags)) {
    const answer = await ada.get(`${contentsOf('ada/engine', 'file')}?ref=${name}`);
    assert.equal(answer.status, status, name);
  }
  const pushed = await tryGit(folder, ['push', '-q', remote, 'chain']);
  assert.match(pushed.stderr, /a tag of a tag, too many times/);
});
