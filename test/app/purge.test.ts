import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, tryGit, workingCopy } from '../support/git/git.ts';
import { quire } from './quire.ts';

const REPOSITORY = 'root/engine';

/** Starts a server with a repository whose `main` had a secret in its last commit. */
async function stage(t: TestContext) {
  // A folder of the test's own, because a test stops the server and works on its data.
  const forge = await startForge(t, { dataFolder: await temporaryFolder(t) });
  await forge.root.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x\n');
  const first = await commitAll(work, 'first');
  const leak = async (text: string) => {
    await writeFile(join(work, 'key'), text);
    const oid = await commitAll(work, 'leak');
    await git(work, ['push', '-q', forge.root.remote(REPOSITORY), 'main']);
    await git(work, ['reset', '-q', '--hard', first]);
    await git(work, ['push', '-q', '--force', forge.root.remote(REPOSITORY), 'main']);
    return oid;
  };
  return { forge, leak, quire: (...words: readonly string[]) => quire(t, [...words, ...forge.flags]) };
}

test('a purge beside the server removes a leaked secret at once, and names the forks', async (t) => {
  const { forge, leak, quire } = await stage(t);
  const { root, url } = forge;
  const oid = await leak('secret');
  assert.equal((await root.post('/api/v1/repos/root/engine/forks', { name: 'copy' })).status, 202);
  const elsewhere = await workingCopy(t);
  const fetched = async (name: string, version: number) => {
    const words = ['-c', `protocol.version=${version}`, 'fetch', '-q', `${url}/root/${name}`, oid];
    return tryGit(elsewhere, words);
  };
  const read = () => root.get(`/api/v1/repos/root/engine/raw/key?ref=${oid}`);
  assert.equal((await read()).text, 'secret');

  const purged = await quire('repository', 'purge', 'root/engine');
  assert.equal(purged.code, 0, purged.output);
  assert.match(
    purged.output,
    /^root\/engine: deleted 3 objects \(\d+ bytes in a pack\) that no ref reaches$/m,
  );
  assert.match(purged.output, /may still have the objects:\n {2}root\/copy\n/);
  assert.equal((await read()).status, 404);
  for (const version of [0, 1, 2]) assert.match((await fetched('engine', version)).stderr, /not our ref/);
  assert.equal((await fetched('copy', 2)).exitCode, 0, 'the fork keeps its own objects');
  assert.equal((await quire('repository', 'purge', 'root/copy')).code, 0);
  assert.equal((await root.get(`/api/v1/repos/root/copy/raw/key?ref=${oid}`)).status, 404);
});

test('a purge beside the server removes what a commit of the API brought a moment before', async (t) => {
  const { forge, quire } = await stage(t);
  const { root } = forge;
  const { git: storage } = forge.forge.running.engines;
  const url = '/api/v1/repos/root/engine';
  assert.equal((await root.post(`${url}/contents/README.md`, { content: '' })).status, 201);
  const leaked = await root.post(`${url}/contents/key`, {
    content: Buffer.from('secret').toString('base64'),
    new_branch: 'leak',
  });
  assert.equal(leaked.status, 201, leaked.text);
  const read = async () => (await root.get(`${url}/git/blobs/${leaked.body.content.sha}`)).status;
  assert.equal(await read(), 200);
  assert.equal((await root.delete(`${url}/branches/leak`)).status, 204);

  const purged = await quire('repository', 'purge', 'root/engine');
  assert.match(purged.output, /deleted 3 objects/);
  assert.equal(await read(), 404);
  // Nor does the server write it again.
  await storage.upkeep.moveFreshToFiles();
  assert.equal(await read(), 404);
});

test('a purge works without a server, and reports that nothing is left to delete', async (t) => {
  const { forge, leak, quire } = await stage(t);
  await leak('secret');
  await forge.forge.stop();
  const first = await quire('repository', 'purge', 'root/engine');
  assert.match(first.output, /deleted 3 objects/);
  const second = await quire('repository', 'purge', 'root/engine');
  assert.match(second.output, /^root\/engine: deleted nothing: its refs reach all of its objects$/m);
  const unknown = await quire('repository', 'purge', 'root/missing');
  assert.deepEqual(unknown, {
    code: 1,
    output: 'quire: repository root/missing does not exist: give it as OWNER/NAME\n',
  });
});

test('a purge removes a secret that leaked into a wiki', async (t) => {
  const { forge, quire } = await stage(t);
  const { root } = forge;
  const work = await workingCopy(t);
  await writeFile(join(work, 'Home.md'), 'x\n');
  const first = await commitAll(work, 'first');
  await writeFile(join(work, 'Home.md'), 'secret\n');
  const oid = await commitAll(work, 'leak');
  const remote = root.remote(`${REPOSITORY}.wiki`);
  await git(work, ['push', '-q', remote, 'main']);
  await git(work, ['push', '-q', '--force', remote, `${first}:main`]);
  const elsewhere = await workingCopy(t);
  assert.equal((await tryGit(elsewhere, ['fetch', '-q', remote, oid])).exitCode, 0);

  const purged = await quire('repository', 'purge', `${REPOSITORY}.wiki`);

  assert.match(purged.output, /^root\/engine\.wiki: deleted 3 objects/m);
  assert.match((await tryGit(await workingCopy(t), ['fetch', '-q', remote, oid])).stderr, /not our ref/);
  assert.equal((await root.get('/api/v1/repos/root/engine/wiki/page/Home')).status, 200);
});
