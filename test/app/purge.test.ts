import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { databaseLocation } from '../support/database-location.ts';
import { commitAll, git, temporaryFolder, tryGit, workingCopy } from '../support/git.ts';
import { request } from '../support/http.ts';
import { ROOT, run } from '../support/process.ts';

const MAIN = join(ROOT, 'src/app/main.mjs');
const REPOSITORY = 'root/engine';
const AS = { name: 'root', password: 'correct horse battery' };

/** Starts a server with a repository whose `main` had a secret in its last commit. */
async function stage(t: TestContext) {
  const location = await databaseLocation(t, { schema: 'empty' });
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  const flags = ['--data', await temporaryFolder(t), ...database];
  const server = run(t, process.execPath, [MAIN, 'serve', '--port', '0', '--log-level', 'error', ...flags], {
    environment: { QUIRE_ADMIN_PASSWORD: AS.password },
  });
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  const api = (method: string, path: string, json?: unknown) =>
    request(method, `${url}/api/v1${path}`, { as: AS, ...(json === undefined ? {} : { json }) });
  assert.equal((await api('POST', '/user/repos', { name: 'engine' })).status, 201);
  const remote = new URL(`${url}/${REPOSITORY}.git`);
  [remote.username, remote.password] = [AS.name, AS.password];
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x\n');
  const first = await commitAll(work, 'first');
  const leak = async (text: string) => {
    await writeFile(join(work, 'key'), text);
    const oid = await commitAll(work, 'leak');
    await git(work, ['push', '-q', remote.href, 'main']);
    await git(work, ['reset', '-q', '--hard', first]);
    await git(work, ['push', '-q', '--force', remote.href, 'main']);
    return oid;
  };
  const quire = async (...words: readonly string[]) => {
    const command = run(t, process.execPath, [MAIN, ...words, ...flags]);
    const { code } = await command.ended();
    return { code, output: command.output() };
  };
  return { server, url, api, leak, quire };
}

test('a purge beside the server removes a leaked secret at once, and names the forks', async (t) => {
  const { api, url, leak, quire } = await stage(t);
  const oid = await leak('secret');
  assert.equal((await api('POST', '/repos/root/engine/forks', { name: 'copy' })).status, 202);
  const elsewhere = await workingCopy(t);
  const fetched = async (name: string, version: number) => {
    const words = ['-c', `protocol.version=${version}`, 'fetch', '-q', `${url}/${AS.name}/${name}`, oid];
    return tryGit(elsewhere, words);
  };
  const read = () => api('GET', `/repos/root/engine/raw/key?ref=${oid}`);
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
  assert.equal((await api('GET', `/repos/root/copy/raw/key?ref=${oid}`)).status, 404);
});

test('a purge works without a server, and reports that nothing is left to delete', async (t) => {
  const { leak, quire, server } = await stage(t);
  await leak('secret');
  server.child.kill('SIGTERM');
  await server.ended();
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
