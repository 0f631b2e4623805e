import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SignedRequest } from '../../src/storage/model.ts';
import { pushedRepository } from '../contents/files.ts';
import { startForge, type TestForge } from '../support/forge.ts';
import { until } from '../support/until.ts';
import { archiveOf, buildingIn, download } from './archives.ts';

const MIB = 1024 * 1024;

/** Lists the archives in the object store, as paths below its folder of archives. */
async function keptIn(forge: TestForge): Promise<string[]> {
  const folder = join(forge.forge.dataFolder, 'objects/archives');
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const untilKept = (forge: TestForge) => until(() => buildingIn(forge) === 0);
const runJobs = (forge: TestForge) => forge.forge.running.services.jobs.runDue({ aheadMs: 60_000 });

test('a later request gets the stored archive, with its length', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const first = await download(forge, archiveOf('ada/engine', 'main.zip'));
  await untilKept(forge);

  const second = await download(forge, archiveOf('ada/engine', `${commit}.zip`));
  const head = await download(forge, archiveOf('ada/engine', 'main.zip'), { method: 'HEAD' });

  assert.deepEqual(await keptIn(forge), [`${commit}-engine.zip`]);
  assert.equal(second.status, 200);
  assert.ok(second.bytes.equals(first.bytes));
  assert.equal(second.headers['content-length'], `${first.bytes.length}`);
  assert.equal(second.headers.etag, first.headers.etag);
  assert.equal(head.headers['content-length'], `${first.bytes.length}`);
  assert.equal(head.bytes.length, 0);
});

test('HEAD of an archive that is not stored describes it without building it', async (t) => {
  const forge = await startForge(t);
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
  assert.deepEqual(await keptIn(forge), []);
});

test('If-None-Match with the tag of an archive gives 304 and builds nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const etag = `"${commit}-engine.zip"`;
  const ask = (name: string, headers: Record<string, string>) =>
    download(forge, archiveOf('ada/engine', name), { headers });

  const unchanged = await ask('main.zip', { 'if-none-match': etag });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers.etag, etag);
  assert.equal(unchanged.bytes.length, 0);
  assert.equal((await ask('main.bundle', { 'if-none-match': `W/"${commit}.bundle"` })).status, 304);
  assert.deepEqual(await keptIn(forge), []);
  assert.equal((await ask('main.tar.gz', { 'if-none-match': etag })).status, 200);
});

test('If-Modified-Since with the time of a stored archive gives 304', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const path = archiveOf('ada/engine', 'main.zip');
  await download(forge, path);
  await untilKept(forge);
  const { headers } = await download(forge, path);
  const since = headers['last-modified'] ?? '';
  const early = new Date(Date.parse(since) - 1000).toUTCString();

  assert.equal((await download(forge, path, { headers: { 'if-modified-since': since } })).status, 304);
  assert.equal((await download(forge, path, { headers: { 'if-modified-since': early } })).status, 200);
  const both = { 'if-modified-since': since, 'if-none-match': '"another"' };
  assert.equal((await download(forge, path, { headers: both })).status, 200);
});

test('a stored archive can be read in ranges', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { random: randomBytes(1000) });
  const path = archiveOf('ada/engine', 'main.zip');
  const whole = await download(forge, path);
  await untilKept(forge);
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

test('a bundle is never continued with the rest of another one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const path = archiveOf('ada/engine', 'main.bundle');
  const { headers } = await download(forge, path);
  await untilKept(forge);

  const sent = { range: 'bytes=10-', 'if-range': headers.etag ?? '' };
  const rest = await download(forge, path, { headers: sent });

  assert.equal(headers.etag, `W/"${commit}.bundle"`);
  assert.equal(rest.status, 200);
});

test('the least recently used archives go when there are too many', async (t) => {
  const forge = await startForge(t, { settings: { archiveMib: '8' } });
  const ada = await forge.account('ada');
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await pushedRepository(t, ada, name, { random: randomBytes(1.5 * MIB) });
    await download(forge, archiveOf(`ada/${name}`, 'main.tar.gz'));
    await untilKept(forge);
  }
  await runJobs(forge);

  const kept = (await keptIn(forge)).map((name) => name.replace(/^\w+-(\w).*/, '$1'));
  assert.deepEqual(kept.sort(), ['b', 'c', 'd', 'e', 'f']);
  assert.equal((await download(forge, archiveOf('ada/a', 'main.tar.gz'))).status, 200);
});

test('an archive that takes more than a quarter of the budget is sent, but not stored', async (t) => {
  const forge = await startForge(t, { settings: { archiveMib: '1' } });
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { random: randomBytes(MIB / 2) });

  const archive = await download(forge, archiveOf('ada/engine', 'main.zip'));
  await untilKept(forge);

  assert.ok(archive.bytes.length > MIB / 2);
  assert.deepEqual(await keptIn(forge), []);
});

test('the archives of a repository go when it is deleted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const other = await pushedRepository(t, ada, 'other', { 'a.txt': 'a' });
  for (const name of ['engine', 'other']) await download(forge, archiveOf(`ada/${name}`, 'main.zip'));
  await untilKept(forge);
  assert.equal((await keptIn(forge)).length, 2);

  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  await runJobs(forge);

  assert.deepEqual(await keptIn(forge), [`${other.commit}-other.zip`]);
});

test('with --serve-direct, a stored archive redirects to the signed address that the store has', async (t) => {
  const forge = await startForge(t, { settings: { serveDirect: 'true' } });
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.txt': 'a' });
  const path = archiveOf('ada/engine', 'main.zip');
  assert.equal((await download(forge, path)).status, 200);
  await untilKept(forge);
  assert.equal((await download(forge, path)).status, 200, 'a folder has no addresses');

  Object.assign(forge.forge.running.engines.objects, {
    signedUrl: async (key: string, { method, fileName, contentType }: SignedRequest) =>
      `https://objects.example.org/${key}?${new URLSearchParams({ method, fileName: fileName ?? '', contentType: contentType ?? '' })}`,
  });
  const { status, headers } = await download(forge, path);

  assert.equal(status, 302);
  const address = new URL(headers.location ?? '');
  assert.match(address.pathname, /^\/archives\/\d+\/[0-9a-f]{40}-engine\.zip$/);
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    method: 'GET',
    fileName: 'engine-main.zip',
    contentType: 'application/zip',
  });
  assert.equal((await forge.get(path.replace('ada', 'eve'))).status, 404);
});
