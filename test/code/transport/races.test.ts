import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, temporaryFolder, tryGit, workingCopy } from '../../support/git/git.ts';

const API = '/api/v1/repos/ada/engine';
const PUSHERS = 3;
const PUSHES_EACH = 5;
const API_WRITERS = 4;
const API_COMMITS_EACH = 10;
const ATTEMPTS_MAX = 200;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Commits a file and pushes it, and rebases it onto concurrent pushes if necessary. */
async function pushFile(folder: string, name: string): Promise<void> {
  await writeFile(join(folder, name), `${name}\n`);
  await commitAll(folder, name);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    if ((await tryGit(folder, ['push', '-q', 'origin', 'main'])).exitCode === 0) return;
    await git(folder, ['pull', '-q', '--rebase', 'origin', 'main']);
  }
  throw new Error(`no push of ${name} was accepted`);
}

async function writeFiles(ada: Person, writer: number): Promise<string[]> {
  const names: string[] = [];
  for (let n = 0; n < API_COMMITS_EACH; n += 1) {
    const name = `api-${writer}-${n}`;
    const answer = await ada.post(`${API}/contents/${name}`, { content: base64(`${name}\n`) });
    assert.equal(answer.status, 201, answer.text);
    names.push(name);
  }
  return names;
}

test('H8: concurrent API changes and pushes to one branch are all in the result', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const clones = await Promise.all(
    Array.from({ length: PUSHERS }, async () => {
      const folder = join(await temporaryFolder(t), 'clone');
      await git('.', ['clone', '-q', ada.remote('ada/engine'), folder]);
      return folder;
    }),
  );
  const push = async (folder: string, pusher: number) => {
    const names = Array.from({ length: PUSHES_EACH }, (_, n) => `push-${pusher}-${n}`);
    for (const name of names) await pushFile(folder, name);
    return names;
  };
  const written = await Promise.all([
    ...clones.map(push),
    ...Array.from({ length: API_WRITERS }, (_, writer) => writeFiles(ada, writer)),
  ]);

  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', ada.remote('ada/engine'), copy]);
  const files = (await git(copy, ['ls-tree', '--name-only', 'HEAD'])).split('\n');
  assert.deepEqual(files, ['README.md', ...written.flat()].sort());
  // The history is linear and has one commit for each change.
  const commits = await git(copy, ['rev-list', '--count', '--first-parent', 'HEAD']);
  assert.equal(Number(commits), 1 + PUSHERS * PUSHES_EACH + API_WRITERS * API_COMMITS_EACH);
  for (const name of written.flat()) {
    assert.equal(await readFile(join(copy, name), 'utf8'), `${name}\n`);
  }
  await git(copy, ['fsck', '--strict']);
  const { problems } = await forge.forge.running.engines.git.upkeep.verify(await forge.firstRepository());
  assert.deepEqual(problems, []);
});

test('H8: of two concurrent changes to the same file, one succeeds and the other gets a conflict', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const created = await ada.post(`${API}/contents/file`, { content: base64('begin\n') });
  const { sha } = created.body.content;
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ada.put(`${API}/contents/file`, { sha, content: base64(`${n}\n`) })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(422)]);
  const winner = answers.findIndex(({ status }) => status === 200);
  assert.equal((await ada.get(`${API}/raw/file`)).text, `${winner}\n`);
  const creations = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ada.post(`${API}/contents/new`, { content: base64(`${n}\n`) })),
  );
  assert.deepEqual(creations.map(({ status }) => status).sort(), [201, ...Array(7).fill(422)]);
});

test('H8: an API change conflicts with a push to the same file, but not with a push to another file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { sha } = (await ada.post(`${API}/contents/mine`, { content: base64('1\n') })).body.content;
  const other = (await ada.post(`${API}/contents/other`, { content: base64('1\n') })).body.content;
  const work = join(await temporaryFolder(t), 'work');
  await git('.', ['clone', '-q', ada.remote('ada/engine'), work]);
  await writeFile(join(work, 'mine'), 'pushed\n');
  await commitAll(work, 'pushed');
  await git(work, ['push', '-q', 'origin', 'main']);
  assert.equal((await ada.put(`${API}/contents/mine`, { sha, content: base64('2\n') })).status, 422);
  assert.equal((await ada.delete(`${API}/contents/mine`, { sha })).status, 400);
  assert.equal(
    (await ada.put(`${API}/contents/other`, { sha: other.sha, content: base64('2\n') })).status,
    200,
  );
  assert.equal((await ada.get(`${API}/raw/mine`)).text, 'pushed\n');
});

test('H8: of concurrent pushes to one branch from the same commit, exactly one is accepted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const clones = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const folder = join(await temporaryFolder(t), 'clone');
      await git('.', ['clone', '-q', ada.remote('ada/engine'), folder]);
      await writeFile(join(folder, 'file'), `${n}\n`);
      await commitAll(folder, `${n}`);
      return folder;
    }),
  );
  const pushes = await Promise.all(clones.map((folder) => tryGit(folder, ['push', '-q', 'origin', 'main'])));
  assert.equal(pushes.filter(({ exitCode }) => exitCode === 0).length, 1);
  const winner = pushes.findIndex(({ exitCode }) => exitCode === 0);
  assert.equal((await ada.get(`${API}/raw/file`)).text, `${winner}\n`);
});

test('H8: of concurrent creations with the same name, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      ada.post('/api/v1/user/repos', { name: n % 2 === 0 ? 'engine' : 'ENGINE', auto_init: n % 3 === 0 }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
  const created = answers.find(({ status }) => status === 201)?.body;
  const listed = (await ada.get('/api/v1/user/repos')).body;
  assert.deepEqual(
    listed.map(({ id, name }: { id: number; name: string }) => [id, name]),
    [[created.id, created.name]],
  );
  const work = await workingCopy(t);
  await commitAll(work, 'first');
  await git(work, ['push', '-q', '--force', ada.remote('ada/engine'), 'main']);
  assert.deepEqual(await refsOf(work, ada.remote('ada/engine')), await refsOf(work));
});
