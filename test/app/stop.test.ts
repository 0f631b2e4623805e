import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { heldBack, packOf, pktLines, pushBody } from '../code/transport/wire.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../support/git/git.ts';
import { authorizationOf, request } from '../support/http/http.ts';
import { type Running, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import { until } from '../support/until.ts';

const REPOSITORY = 'root/engine';
const ADMIN = { name: 'root', password: 'correct horse battery' };

async function start(t: TestContext, flags: readonly string[]): Promise<{ server: Running; url: string }> {
  const words = [PROGRAM, 'serve', '--port', '0', '--log-level', 'error', ...flags];
  const server = run(t, process.execPath, words, { environment: { QUIRE_ADMIN_PASSWORD: ADMIN.password } });
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  return { server, url };
}

interface PushInProgress {
  readonly server: Running;
  readonly url: string;
  readonly flags: readonly string[];
  readonly tip: string;
  /** the server's response to the push */
  readonly report: Promise<Buffer>;
  /** Sends the last bytes of the push. */
  release(): void;
}

/** Starts a server, sends it all but the last bytes of a push, and signals it to stop. */
async function stopDuringPush(t: TestContext): Promise<PushInProgress> {
  const location = await databaseLocation(t, { schema: 'empty' });
  const dataFolder = await temporaryFolder(t);
  const flags = ['--data', dataFolder, ...(location.kind === 'url' ? ['--database-url', location.url] : [])];
  const { server, url } = await start(t, flags);
  const created = await request('POST', `${url}/api/v1/user/repos`, { as: ADMIN, json: { name: 'engine' } });
  assert.equal(created.status, 201);
  const { body, tip } = await createPush(t);
  const held = heldBack(body, 10);
  const answer = fetch(`${url}/${REPOSITORY}/git-receive-pack`, {
    method: 'POST',
    body: held.stream,
    duplex: 'half',
    headers: {
      authorization: authorizationOf(ADMIN),
      'content-type': 'application/x-git-receive-pack-request',
    },
  });
  const report = answer.then(async (response) => Buffer.from(await response.arrayBuffer()));
  // The request for the page is one of those that it counts.
  await until(async () => /^quire_http_requests_running 2$/m.test(await metricsOf(url)));
  // npm passes on the signal of Ctrl-C, which the terminal sends to the server, too.
  for (let times = 0; times < 2; times += 1) {
    server.child.kill('SIGINT');
    await setImmediate();
  }
  // From now on the server accepts no new connection.
  await until(async () => (await fetch(`${url}/api/v1/version`).catch(() => undefined)) === undefined);
  return { server, url, flags, tip, report, release: held.release };
}

async function metricsOf(url: string): Promise<string> {
  return (await request('GET', `${url}/metrics`, { as: ADMIN })).text;
}

async function createPush(t: TestContext): Promise<{ body: Buffer; tip: string }> {
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x\n');
  const tip = await commitAll(work, 'first');
  const pack = await packOf(work, [tip]);
  return { body: pushBody({ commands: [{ new: tip, ref: 'refs/heads/main' }], pack }), tip };
}

test('after a signal to stop that arrives twice, a push in progress completes, and then the server ends', async (t) => {
  const { server, flags, tip, report, release } = await stopDuringPush(t);
  release();
  assert.deepEqual(pktLines(await report).slice(0, 2), ['unpack ok', 'ok refs/heads/main']);
  assert.deepEqual(await server.ended(), { code: 0, signal: null });

  const again = await start(t, flags);
  const listed = await git('.', ['ls-remote', `${again.url}/${REPOSITORY}`, 'HEAD']);
  assert.match(listed, new RegExp(`^${tip}`));
});

test('a later second signal to stop ends the server and the push at once', async (t) => {
  const { server, report } = await stopDuringPush(t);
  let isCutOff = false;
  const rejected = assert.rejects(report).then(() => {
    isCutOff = true;
  });
  await until(() => {
    if (!isCutOff) server.child.kill('SIGINT');
    return isCutOff;
  });
  await rejected;
  assert.notEqual((await server.ended()).code, 0);
});
