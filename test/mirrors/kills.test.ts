import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FaultPoint } from '../../src/core/faults.ts';
import { openDatabase } from '../../src/database/open.ts';
import { startForge } from '../support/forge.ts';
import { git } from '../support/git.ts';
import { type Answer, request } from '../support/http.ts';
import { restartServer, type ServerProcess, startServerProcess } from '../transport/server-process.ts';
import { commitTo, refsAt, startBackend } from './backend.ts';
import { ALLOWED, MIGRATE, synced } from './sync.ts';

const POINTS: readonly FaultPoint[] = ['after-index', 'before-commit', 'after-commit'];
const ENVIRONMENT = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };

/** Returns where the data of a server are. */
function databaseOf({ flags, dataFolder }: ServerProcess) {
  const at = flags.indexOf('--database-url');
  return at === -1
    ? ({ kind: 'file', path: join(dataFolder, 'quire.db') } as const)
    : ({ kind: 'url', url: flags[at + 1] ?? '' } as const);
}

/** Ends the lease of the job that a killed server ran, for which the next server waits a minute. */
async function endLeases(server: ServerProcess): Promise<void> {
  const database = openDatabase(databaseOf(server));
  await database.transaction((tx) => tx.updateTable('jobs').set({ leased_until: 0 }).execute());
  await database.close();
}

test('a server killed during a migration or an update leaves the old state or the new one', {
  timeout: 180_000,
}, async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  await git(source.folder, ['tag', '-a', '-m', 'One', 'v1', 'main']);
  const first = await startServerProcess(t, ENVIRONMENT);
  const send = (url: string, path: string, json: unknown = {}): Promise<Answer> =>
    request('POST', `${url}${path}`, { as: first.admin, json });
  const migrate = (url: string, name: string) =>
    send(url, MIGRATE, { clone_addr: source.url, repo_name: name, mirror: true });
  const refsOf = (url: string, name: string) => {
    const { username, password } = new URL(first.remote('x'));
    const remote = new URL(`/root/${name}.git`, url);
    return refsAt(source.folder, Object.assign(remote, { username, password }).href);
  };
  assert.equal((await migrate(first.url, 'mirror')).status, 201);
  let before = await refsAt(source.folder);
  first.running.child.kill('SIGKILL');
  await first.running.ended();

  for (const point of POINTS) {
    const fault = { ...ENVIRONMENT, QUIRE_FAULT: point };
    const migrating = await restartServer(t, first, fault);
    await assert.rejects(migrate(migrating.url, point));
    assert.deepEqual(await migrating.running.ended(), { code: null, signal: 'SIGKILL' }, point);

    await commitTo(source.folder, 'main', point);
    await git(source.folder, ['tag', point, 'main']);
    const after = await refsAt(source.folder);
    const syncing = await restartServer(t, first, fault);
    if (point === 'after-commit') assert.deepEqual(await refsOf(syncing.url, point), before);
    else {
      const found = await request('GET', `${syncing.url}/api/v1/repos/root/${point}`, { as: first.admin });
      assert.equal(found.status, 404);
    }
    // The server may end before it has answered.
    await send(syncing.url, '/api/v1/repos/root/mirror/mirror-sync').catch(() => undefined);
    assert.deepEqual(await syncing.running.ended(), { code: null, signal: 'SIGKILL' }, point);

    // The job goes on when its lease has ended.
    const intact = await restartServer(t, first, ENVIRONMENT);
    const seen = await refsOf(intact.url, 'mirror');
    if (point === 'after-commit' || seen.join() !== before.join()) assert.deepEqual(seen, after);
    await endLeases(first);
    await send(intact.url, '/api/v1/repos/root/mirror/mirror-sync');
    assert.deepEqual(await awaitedRefs(() => refsOf(intact.url, 'mirror'), after), after);
    assert.equal((await migrate(intact.url, point)).status, point === 'after-commit' ? 409 : 201);
    intact.running.child.kill('SIGKILL');
    await intact.running.ended();
    before = after;
  }

  const database = databaseOf(first);
  const place = database.kind === 'url' ? { databaseUrl: database.url } : {};
  const forge = await startForge(t, { ...ALLOWED, dataFolder: first.dataFolder, ...place });
  await endLeases(first);
  await synced(forge);
  const { services, engines } = forge.forge.running;
  await services.repositories.sweepAbandoned(-1000);
  const ids = await services.repositories.listIds();
  assert.equal(ids.length, POINTS.length + 1);
  assert.deepEqual([...(await engines.git.list())].sort(), [...ids].sort());
  for (const id of ids) assert.deepEqual((await engines.git.verify(id)).problems, []);
});

/** Reads refs until they are as wanted. The time limit of the test bounds it. */
async function awaitedRefs(
  read: () => Promise<readonly string[]>,
  wanted: readonly string[],
): Promise<readonly string[]> {
  for (;;) {
    const refs = await read();
    if (refs.join() === wanted.join()) return refs;
  }
}
