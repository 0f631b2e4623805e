import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { placeOf, prepareSite, serveSite } from '../../code/transport/server-process.ts';
import { endLeases, holdJobs, releaseJobs } from '../../support/database/job-leases.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { type Answer, request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';
import { objectOf, pointerTo } from '../lfs/objects.ts';
import { commitTo, refsAt, startBackend } from './backend.ts';
import { startSteppedSource } from './stepped-source.ts';
import { ALLOWED, MIGRATE, synced } from './sync.ts';

const POINTS: readonly FaultPoint[] = ['after-index', 'before-commit', 'after-commit'];
const ENVIRONMENT = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };

test('a server killed during a migration or an update leaves the old state or the new one', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  await git(source.folder, ['tag', '-a', '-m', 'One', 'v1', 'main']);
  const site = await prepareSite(t);
  const serveHere = () => startForge(t, { ...ALLOWED, ...placeOf(site) });
  const send = (url: string, path: string, json: unknown = {}): Promise<Answer> =>
    request('POST', `${url}${path}`, { as: site.admin, json });
  const migrate = (url: string, name: string) =>
    send(url, MIGRATE, { clone_addr: source.url, repo_name: name, mirror: true });
  const refsOf = (url: string, name: string) => {
    const remote = new URL(`/root/${name}.git`, url);
    const { name: username, password } = site.admin;
    return refsAt(source.folder, Object.assign(remote, { username, password }).href);
  };
  let intact = await serveHere();
  assert.equal((await migrate(intact.url, 'mirror')).status, 201);
  let before = await refsAt(source.folder);

  for (const point of POINTS) {
    await intact.forge.stop();
    const fault = { ...ENVIRONMENT, QUIRE_FAULT: point };
    const migrating = await serveSite(t, site, fault);
    await assert.rejects(migrate(migrating.url, point));
    assert.deepEqual(await migrating.running.ended(), { code: null, signal: 'SIGKILL' }, point);

    await commitTo(source.folder, 'main', point);
    await git(source.folder, ['tag', point, 'main']);
    const after = await refsAt(source.folder);
    const syncing = await serveSite(t, site, fault);
    if (point === 'after-commit') assert.deepEqual(await refsOf(syncing.url, point), before);
    else {
      const found = await request('GET', `${syncing.url}/api/v1/repos/root/${point}`, { as: site.admin });
      assert.equal(found.status, 404);
    }
    // The server may end before it has answered.
    await send(syncing.url, '/api/v1/repos/root/mirror/mirror-sync').catch(() => undefined);
    assert.deepEqual(await syncing.running.ended(), { code: null, signal: 'SIGKILL' }, point);

    // The job goes on when its lease has ended. The next server takes none before, so that none runs twice.
    await holdJobs(site);
    intact = await serveHere();
    const seen = await refsOf(intact.url, 'mirror');
    if (point === 'after-commit' || seen.join() !== before.join()) assert.deepEqual(seen, after);
    await releaseJobs(site);
    await send(intact.url, '/api/v1/repos/root/mirror/mirror-sync');
    await synced(intact);
    assert.deepEqual(await refsOf(intact.url, 'mirror'), after);
    // So does the migration, which has no client any more.
    const copy = `${intact.url}/api/v1/repos/root/${point}`;
    await until(async () => (await request('GET', copy, { as: site.admin })).status === 200);
    const copied = point === 'after-commit' ? before : after;
    assert.deepEqual(await refsOf(intact.url, point), copied);
    assert.equal((await migrate(intact.url, point)).status, 409);
    before = after;
  }

  const { services, engines } = intact.forge.running;
  await services.repositories.creation.sweepAbandoned(-1000);
  const ids = await services.repositories.listIds();
  assert.equal(ids.length, POINTS.length + 1);
  assert.deepEqual([...(await engines.git.refs.list())].sort(), [...ids].sort());
  for (const id of ids) assert.deepEqual((await engines.git.upkeep.verify(id)).problems, []);
});

test('a server killed while it stores the large files of a copy leaves no half copy, and its successor has them all', async (t) => {
  const contents = new Map<string, Buffer>();
  let kill: (() => void) | null = null;
  const source = await startBackend(t, {
    intercept: async ({ url = '' }, response, body) => {
      if (url.endsWith('/info/lfs/objects/batch')) {
        const { objects } = JSON.parse(body.toString()) as { objects: { oid: string; size: number }[] };
        const href = (oid: string) => `${new URL(source.url).origin}/objects/${oid}`;
        const answers = objects.map((object) => ({
          ...object,
          actions: { download: { href: href(object.oid) } },
        }));
        response.end(JSON.stringify({ objects: answers }));
        return true;
      }
      const content = contents.get(url.replace('/objects/', ''));
      if (content === undefined) return false;
      if (kill === null) response.end(content);
      else {
        response.setHeader('content-length', content.length);
        response.write(content.subarray(0, content.length / 2), kill);
      }
      return true;
    },
  });
  /** Commits a new large file on top of the others. */
  const addLargeFile = () => {
    const content = randomBytes(1 << 20);
    const object = objectOf(content);
    contents.set(object.oid, content);
    return commitTo(source.folder, 'main', pointerTo(object));
  };
  await addLargeFile();
  await addLargeFile();
  const site = await prepareSite(t);
  const serveHere = () => startForge(t, { ...ALLOWED, ...placeOf(site) });
  const send = (url: string, method: string, path: string, json?: unknown): Promise<Answer> =>
    request(method, `${url}${path}`, { as: site.admin, ...(json === undefined ? {} : { json }) });
  const migrate = (url: string, name: string) =>
    send(url, 'POST', MIGRATE, { clone_addr: source.url, repo_name: name, mirror: true, lfs: true });
  let intact = await serveHere();
  assert.equal((await migrate(intact.url, 'mirror')).status, 201);

  for (const point of ['half-an-object', 'before-object', 'before-commit'] as const) {
    const fault = point === 'half-an-object' ? ENVIRONMENT : { ...ENVIRONMENT, QUIRE_FAULT: point };
    const restarted = async () => {
      const server = await serveSite(t, site, fault);
      if (point === 'half-an-object') kill = () => server.running.child.kill('SIGKILL');
      return server;
    };
    await intact.forge.stop();
    await addLargeFile();
    const migrating = await restarted();
    await assert.rejects(migrate(migrating.url, point));
    assert.deepEqual(await migrating.running.ended(), { code: null, signal: 'SIGKILL' }, point);
    await addLargeFile();
    const tip = await addLargeFile();
    const syncing = await restarted();
    assert.equal((await send(syncing.url, 'GET', `/api/v1/repos/root/${point}`)).status, 404);
    await send(syncing.url, 'POST', '/api/v1/repos/root/mirror/mirror-sync').catch(() => undefined);
    assert.deepEqual(await syncing.running.ended(), { code: null, signal: 'SIGKILL' }, point);

    kill = null;
    await endLeases(site);
    intact = await serveHere();
    assert.equal((await migrate(intact.url, point)).status, 409, 'it goes on by itself');
    for (const name of ['mirror', point]) {
      const branch = `${intact.url}/api/v1/repos/root/${name}/branches/main`;
      await until(async () => (await request('GET', branch, { as: site.admin })).body.commit?.id === tip);
    }
  }

  await synced(intact);
  const { engines, services } = intact.forge.running;
  const links = await engines.database.reader.selectFrom('lfs_links').selectAll().execute();
  const repositories = await services.repositories.listIds();
  assert.equal(repositories.length, 4);
  // Each copy began with the files that the source had by then, in its whole history.
  for (const id of repositories) {
    const of = links.filter((link) => link.repository_id === id);
    assert.ok(of.length >= 5 && of.length <= contents.size, `${of.length} files`);
    for (const { object_id: objectId } of of) {
      const object = await engines.database.reader
        .selectFrom('lfs_objects')
        .select(['oid', 'bytes', 'is_stored'])
        .where('id', '=', objectId)
        .executeTakeFirstOrThrow();
      assert.deepEqual([object.bytes, object.is_stored], [1 << 20, 1]);
      const found = await services.largeFiles.get(id, object.oid);
      const { body } = await services.largeFiles.open(found, undefined);
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(contents.get(object.oid) ?? Buffer.alloc(0)));
    }
  }
});

test('a server killed at each point of a migration goes on with it, and a canceled one leaves nothing', async (t) => {
  const { source, steps } = await startSteppedSource(t);
  const site = await prepareSite(t);
  const serveHere = () => startForge(t, { ...ALLOWED, ...placeOf(site) });
  const as = site.admin;
  const newest = async (url: string) =>
    (await request('GET', `${url}/api/v1/user/migrations?limit=1`, { as })).body[0];
  /** Kills a server at a point of a migration. */
  const killAt = async (point: FaultPoint, name: string) => {
    if (point === 'before-migration-settle') steps.push(503);
    const killed = await serveSite(t, site, { ...ENVIRONMENT, QUIRE_FAULT: point });
    const json = { clone_addr: source.url, repo_name: name, auth_token: 'hidden' };
    await assert.rejects(request('POST', `${killed.url}${MIGRATE}`, { as, json }));
    assert.deepEqual(await killed.running.ended(), { code: null, signal: 'SIGKILL' }, point);
  };

  for (const point of [
    'after-migration-request',
    'after-migration-take',
    'after-migration-begin',
    'before-migration-settle',
  ] as const) {
    await killAt(point, point);
    // Before the next server takes a job, whose lease this would end too.
    await endLeases(site);
    const { url, forge } = await serveHere();
    await until(async () => {
      const { status, last_error: lastError, ...rest } = await newest(url);
      assert.ok(lastError === '' && status !== 'failed', JSON.stringify({ status, lastError, ...rest }));
      return status === 'done';
    });
    const { repo_name: name, attempts } = await newest(url);
    assert.equal(name, point);
    // Its job may begin before the server ends at the first point.
    assert.ok(attempts === 2 || (attempts === 1 && point === 'after-migration-request'), `${attempts}`);
    assert.equal((await request('GET', `${url}/api/v1/repos/root/${point}`, { as })).status, 200);
    await forge.stop();
  }
  await killAt('after-migration-begin', 'canceled');
  const { url, forge: canceling } = await serveHere();
  const { id, status } = await newest(url);
  assert.equal(status, 'running', 'its job has a lease yet');
  assert.equal((await request('DELETE', `${url}/api/v1/user/migrations/${id}`, { as })).status, 204);
  assert.equal((await newest(url)).status, 'canceled');
  await canceling.stop();

  const forge = await serveHere();
  const { database, git: storage } = forge.forge.running.engines;
  const { reader } = database;
  assert.deepEqual(await reader.selectFrom('repository_intents').selectAll().execute(), []);
  const ids = (await reader.selectFrom('repositories').select('id').execute()).map((row) => row.id);
  assert.deepEqual([ids.length, [...(await storage.refs.list())].sort()], [4, ids.toSorted()]);
  const rows = await reader.selectFrom('repository_migrations').selectAll().execute();
  for (const row of rows) assert.deepEqual([row.run, row.pending_id, row.secrets], [null, null, null]);
});
