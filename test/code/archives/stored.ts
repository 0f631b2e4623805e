import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { ForgeOptions } from '../../../testing/index.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { pushedRepository } from '../contents/files.ts';
import { archiveOf, buildingIn, download } from './archives.ts';

const MIB = 1024 * 1024;
const execFileBytes = promisify(execFile);
const whyNoCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

/** Names the archives in the object store. */
async function storedIn(forge: TestForge): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of forge.forge.running.engines.objects.list('archives/'))
    names.push(basename(key));
  return names;
}

const untilStored = (forge: TestForge) => until(() => buildingIn(forge) === 0);
const runJobs = (forge: TestForge) => forge.forge.running.services.jobs.runDue({ aheadMs: 60_000 });

type Settings = ForgeOptions['settings'];

/**
 * Tests archives in one kind of object store.
 *
 * @param store settings of an empty store for one test
 */
export function testStoredArchives(
  kind: string,
  store: (t: TestContext) => Promise<Settings>,
  { skip = false }: { skip?: string | false } = {},
): void {
  const start = async (t: TestContext, settings: Settings = {}) =>
    startForge(t, { settings: { ...(await store(t)), ...settings } });

  test(`${kind}: a later request gets the stored archive, with its length`, { skip }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const first = await download(forge, archiveOf('ada/engine', 'main.zip'));
    await untilStored(forge);

    const second = await download(forge, archiveOf('ada/engine', `${commit}.zip`));
    const head = await download(forge, archiveOf('ada/engine', 'main.zip'), { method: 'HEAD' });

    assert.deepEqual(await storedIn(forge), [`${commit}-engine.zip`]);
    assert.equal(second.status, 200);
    assert.ok(second.bytes.equals(first.bytes));
    assert.equal(second.headers['content-length'], `${first.bytes.length}`);
    assert.equal(second.headers.etag, first.headers.etag);
    assert.equal(head.headers['content-length'], `${first.bytes.length}`);
    assert.equal(head.bytes.length, 0);
  });

  test(`${kind}: a stored archive is sent without a build and without an error in the log`, {
    skip,
  }, async (t) => {
    const forge = await startForge(t, { settings: { ...(await store(t)) }, logLevel: 'error' });
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    await download(forge, archiveOf('ada/engine', 'main.zip'));
    await untilStored(forge);
    const faults = collectLog(forge.forge.running.app);
    const started = watchProcesses(t);

    for (let round = 0; round < 3; round += 1)
      assert.equal((await download(forge, archiveOf('ada/engine', 'main.zip'))).status, 200);
    assert.equal((await forge.get('/api/v1/version')).status, 200);
    await untilStored(forge);

    const commands = started().filter((command) => command.includes(' archive '));
    assert.deepEqual([commands, faults], [[], []]);
  });

  test(`${kind}: HEAD of an archive that is not stored describes it without building it`, {
    skip,
  }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });

    const { status, headers, bytes } = await download(forge, archiveOf('ada/engine', 'main.zip'), {
      method: 'HEAD',
    });

    assert.equal(status, 200);
    assert.equal(headers.etag, `"${commit}-engine.zip"`);
    assert.equal(headers['content-length'], undefined);
    assert.equal(bytes.length, 0);
    assert.equal(buildingIn(forge), 0);
    assert.deepEqual(await storedIn(forge), []);
  });

  test(`${kind}: If-None-Match with the tag of an archive gives 304 and builds nothing`, {
    skip,
  }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const etag = `"${commit}-engine.zip"`;
    const ask = (name: string, headers: Record<string, string>) =>
      download(forge, archiveOf('ada/engine', name), { headers });

    const unchanged = await ask('main.zip', { 'if-none-match': etag });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.headers.etag, etag);
    assert.equal(unchanged.bytes.length, 0);
    assert.deepEqual(await storedIn(forge), []);
    assert.equal((await ask('main.tar.gz', { 'if-none-match': etag })).status, 200);
  });

  test(`${kind}: If-Modified-Since with the time of a stored archive gives 304`, { skip }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const path = archiveOf('ada/engine', 'main.zip');
    await download(forge, path);
    await untilStored(forge);
    const { headers } = await download(forge, path);
    const since = headers['last-modified'] ?? '';
    const early = new Date(Date.parse(since) - 1000).toUTCString();

    assert.equal((await download(forge, path, { headers: { 'if-modified-since': since } })).status, 304);
    assert.equal((await download(forge, path, { headers: { 'if-modified-since': early } })).status, 200);
    const both = { 'if-modified-since': since, 'if-none-match': '"another"' };
    assert.equal((await download(forge, path, { headers: both })).status, 200);
  });

  test(`${kind}: a stored archive can be read in ranges`, { skip }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { random: randomBytes(1000) });
    const path = archiveOf('ada/engine', 'main.zip');
    const whole = await download(forge, path);
    await untilStored(forge);
    const size = whole.bytes.length;
    const range = (value: string, headers: Record<string, string> = {}) =>
      download(forge, path, { headers: { range: `bytes=${value}`, ...headers } });

    const part = await range('10-19');
    assert.equal(part.status, 206);
    assert.equal(part.headers['content-range'], `bytes 10-19/${size}`);
    assert.equal(part.headers['content-length'], '10');
    assert.ok(part.bytes.equals(whole.bytes.subarray(10, 20)));
    assert.ok((await range('100-')).bytes.equals(whole.bytes.subarray(100)));
    const beyond = await range(`${size}-`);
    assert.equal(beyond.status, 416);
    assert.equal(beyond.headers['content-range'], `bytes */${size}`);
    assert.equal((await range('10-19', { 'if-range': whole.headers.etag ?? '' })).status, 206);
    assert.equal((await range('10-19', { 'if-range': '"another"' })).status, 200);
  });

  test(`${kind}: a bundle is continued only with the rest of itself, because two bundles of a commit may differ`, {
    skip,
  }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const path = archiveOf('ada/engine', 'main.bundle');
    const ask = (headers: Record<string, string>) => download(forge, path, { headers });
    const tag = async () => (await download(forge, path, { method: 'HEAD' })).headers.etag;
    assert.equal(await tag(), undefined, 'it is not built yet');

    for (const other of ['zip', 'tar.gz']) await download(forge, path.replace('bundle', other));
    const built = await download(forge, path);
    const { etag = '' } = built.headers;
    await untilStored(forge);
    assert.match(etag, new RegExp(`^"${commit}[.][0-9a-f]{16}\\.bundle"$`));
    assert.equal(await tag(), etag);
    const rest = await ask({ range: 'bytes=10-', 'if-range': etag });
    assert.equal(rest.status, 206);
    assert.ok(rest.bytes.equals(built.bytes.subarray(10)));

    const { database } = forge.forge.running.engines;
    await database.transaction((tx) => tx.updateTable('archives').set({ is_doomed: 1 }).execute());
    const other = await download(forge, path);
    assert.notEqual(other.headers.etag, etag);
    await untilStored(forge);
    assert.equal((await ask({ range: 'bytes=10-', 'if-range': etag })).status, 200);
    assert.equal((await ask({ 'if-none-match': etag })).status, 304, 'its history is the same');
    assert.equal((await ask({ 'if-none-match': etag.replace(commit, '0'.repeat(40)) })).status, 200);
  });

  test(`${kind}: the least recently used archives go when there are too many`, { skip }, async (t) => {
    const forge = await start(t, { archiveMib: '1' });
    const ada = await forge.account('ada');
    // Five of them take less than the budget, and six take more.
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const random = randomBytes((3 / 16) * MIB);
      await pushedRepository(t, ada, name, { random }, { compression: 0 });
      await download(forge, archiveOf(`ada/${name}`, 'main.tar.gz'));
      await untilStored(forge);
    }
    await runJobs(forge);

    const stored = (await storedIn(forge)).map((name) => name.replace(/^\w+-(\w).*/, '$1'));
    assert.deepEqual(stored.sort(), ['b', 'c', 'd', 'e', 'f']);
    assert.equal((await download(forge, archiveOf('ada/a', 'main.tar.gz'))).status, 200);
  });

  test(`${kind}: an archive that is being deleted is stored again only afterwards`, { skip }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const path = archiveOf('ada/engine', 'main.zip');
    const ask = async () => {
      assert.equal((await download(forge, path)).status, 200);
      await untilStored(forge);
    };
    await ask();
    const { database, objects } = forge.forge.running.engines;
    forge.stopAfterTest();
    const mayDelete = Promise.withResolvers<void>();
    const remove = objects.delete.bind(objects);
    for await (const { key } of objects.list('archives/')) await remove(key);
    objects.delete = (key) => mayDelete.promise.then(() => remove(key));
    await database.transaction((tx) => tx.updateTable('archives').set({ is_doomed: 1 }).execute());
    const doomed = () => database.reader.selectFrom('archives').select('is_doomed').execute();

    await ask();
    assert.deepEqual([await storedIn(forge), await doomed()], [[], [{ is_doomed: 1 }]]);
    mayDelete.resolve();
    await runJobs(forge);
    assert.deepEqual(await doomed(), []);

    await ask();
    assert.deepEqual(await storedIn(forge), [`${commit}-engine.zip`]);
    assert.deepEqual(await doomed(), [{ is_doomed: 0 }]);
  });

  test(`${kind}: an archive that takes more than a quarter of the budget is sent, but not stored`, {
    skip,
  }, async (t) => {
    const forge = await start(t, { archiveMib: '1' });
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { random: randomBytes(MIB / 4) });

    const archive = await download(forge, archiveOf('ada/engine', 'main.zip'));
    await untilStored(forge);

    assert.ok(archive.bytes.length > MIB / 4);
    assert.deepEqual(await storedIn(forge), []);
  });

  test(`${kind}: the archives of a repository go when it is deleted`, { skip }, async (t) => {
    const forge = await start(t);
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const other = await pushedRepository(t, ada, 'other', { 'a.txt': 'a' });
    for (const name of ['engine', 'other']) await download(forge, archiveOf(`ada/${name}`, 'main.zip'));
    await untilStored(forge);
    assert.equal((await storedIn(forge)).length, 2);

    assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
    await runJobs(forge);

    assert.deepEqual(await storedIn(forge), [`${other.commit}-other.zip`]);
  });

  test(`${kind}: with --serve-direct, a stored archive redirects to a signed address of the object store`, {
    skip,
  }, async (t) => {
    const forge = await start(t, { serveDirect: 'true' });
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
    const path = archiveOf('ada/engine', 'main.zip');
    const built = await download(forge, path);
    assert.equal(built.status, 200);
    await untilStored(forge);

    const { status, headers } = await download(forge, path);
    const head = await download(forge, path, { method: 'HEAD' });

    assert.equal(status, 302);
    assert.equal(headers['cache-control'], 'no-store');
    const address = new URL(headers.location ?? '');
    assert.match(address.pathname, /\/archives\/\d+\/[0-9a-f]{40}-engine\.zip$/);
    const followed = await fetch(address);
    assert.equal(followed.status, 200);
    assert.equal(followed.headers.get('content-type'), 'application/zip');
    assert.match(
      followed.headers.get('content-disposition') ?? '',
      /^attachment; filename="engine-main\.zip"/,
    );
    assert.ok(Buffer.from(await followed.arrayBuffer()).equals(built.bytes));
    const described = await fetch(head.headers.location ?? '', { method: 'HEAD' });
    assert.equal(described.status, 200);
    assert.equal(described.headers.get('content-length'), `${built.bytes.length}`);
    assert.equal((await forge.get(path.replace('ada', 'eve'))).status, 404);
  });

  test(`${kind}: with --serve-direct, curl follows the redirect of a private archive, with and without ranges`, {
    skip: skip === false ? whyNoCurl : skip,
  }, async (t) => {
    const forge = await start(t, { serveDirect: 'true' });
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { random: randomBytes(10_000) });
    await ada.patch('/api/v1/repos/ada/engine', { private: true });
    const url = `${forge.url}${archiveOf('ada/engine', 'main.tar.gz')}`;
    const curl = async (...args: string[]) => {
      const all = ['-sSfL', '-u', `ada:${ada.token}`, ...args, url];
      return (await execFileBytes('curl', all, { encoding: 'buffer' })).stdout;
    };
    const built = await curl();
    await untilStored(forge);

    const followed = await curl();
    const part = await curl('-r', '100-199');

    assert.ok(followed.equals(built));
    assert.ok(part.equals(built.subarray(100, 200)));
    assert.equal((await forge.get(archiveOf('ada/engine', 'main.tar.gz'))).status, 404);
  });
}
