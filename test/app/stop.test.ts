import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { databaseLocation } from '../support/database-location.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../support/git.ts';
import { authorizationOf, request } from '../support/http.ts';
import { ROOT, type Running, run } from '../support/process.ts';
import { until } from '../support/until.ts';
import { heldBack, packOf, pktLines, pushBody } from '../transport/wire.ts';

const ADMIN = { name: 'root', password: 'correct horse battery' };

async function start(t: TestContext, flags: readonly string[]): Promise<{ server: Running; url: string }> {
  const words = [join(ROOT, 'src/app/main.ts'), 'serve', '--port', '0', '--log-level', 'error', ...flags];
  const server = run(t, process.execPath, words, { environment: { QUIRE_ADMIN_PASSWORD: ADMIN.password } });
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  return { server, url };
}

async function aPush(t: TestContext): Promise<{ body: Buffer; tip: string }> {
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x\n');
  const tip = await commitAll(work, 'first');
  const pack = await packOf(work, [tip]);
  return { body: pushBody({ commands: [{ new: tip, ref: 'refs/heads/main' }], pack }), tip };
}

test('a push that is under way when the server is told to stop arrives, then the server ends', async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const dataFolder = await temporaryFolder(t);
  const flags = ['--data', dataFolder, ...(location.kind === 'url' ? ['--database-url', location.url] : [])];
  const { server, url } = await start(t, flags);
  const made = await request('POST', `${url}/api/v1/user/repos`, { as: ADMIN, json: { name: 'engine' } });
  assert.equal(made.status, 201);
  const { body, tip } = await aPush(t);
  const held = heldBack(body, 10);
  const answer = fetch(`${url}/root/engine/git-receive-pack`, {
    method: 'POST',
    body: held.stream,
    duplex: 'half',
    headers: {
      authorization: authorizationOf(ADMIN),
      'content-type': 'application/x-git-receive-pack-request',
    },
  });
  await until(async () => {
    const paths = await readdir(join(dataFolder, 'git'), { recursive: true });
    return paths.some((path) => /\/quarantine\/[^/]+$/.test(path));
  });
  server.child.kill('SIGTERM');
  // From now on nobody new is let in.
  await until(async () => (await fetch(`${url}/api/v1/version`).catch(() => undefined)) === undefined);
  held.release();
  const report = Buffer.from(await (await answer).arrayBuffer());
  assert.deepEqual(pktLines(report).slice(0, 2), ['unpack ok', 'ok refs/heads/main']);
  assert.deepEqual(await server.ended(), { code: 0, signal: null });

  const again = await start(t, flags);
  assert.match(await git('.', ['ls-remote', `${again.url}/root/engine`, 'HEAD']), new RegExp(`^${tip}`));
});

test('a second signal to stop ends the server at once', async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const dataFolder = await temporaryFolder(t);
  const flags = ['--data', dataFolder, ...(location.kind === 'url' ? ['--database-url', location.url] : [])];
  const { server, url } = await start(t, flags);
  assert.equal(
    (await request('POST', `${url}/api/v1/user/repos`, { as: ADMIN, json: { name: 'engine' } })).status,
    201,
  );
  const held = heldBack((await aPush(t)).body, 10);
  const answer = fetch(`${url}/root/engine/git-receive-pack`, {
    method: 'POST',
    body: held.stream,
    duplex: 'half',
    headers: {
      authorization: authorizationOf(ADMIN),
      'content-type': 'application/x-git-receive-pack-request',
    },
  }).then((response) => response.text());
  await until(async () => {
    const paths = await readdir(join(dataFolder, 'git'), { recursive: true });
    return paths.some((path) => /\/quarantine\/[^/]+$/.test(path));
  });
  server.child.kill('SIGTERM');
  await until(async () => (await fetch(`${url}/api/v1/version`).catch(() => undefined)) === undefined);
  server.child.kill('SIGTERM');
  await assert.rejects(answer);
  assert.notEqual((await server.ended()).code, 0);
});
