import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { addLargeFile, download, objectOf, storedFiles, upload } from './objects.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Collects what is due, and waits for a job of the server that is in the middle of the same work. */
async function collect({ forge }: TestForge, aheadMs = 0): Promise<void> {
  const { signal } = new AbortController();
  const { database, objectFiles } = forge.running.services;
  await objectFiles.collect({ signal, aheadMs });
  await until(async () => {
    const jobs = database.reader.selectFrom('jobs').select('id').where('kind', '=', 'lfs.collect');
    return (await jobs.where('leased_by', 'is not', null).execute()).length === 0;
  });
}

/** Rows of all objects: how often their bytes may be stored. */
async function rowsOf(forge: TestForge): Promise<number> {
  const { reader } = forge.forge.running.services.database;
  return (await reader.selectFrom('lfs_objects').select('id').execute()).length;
}

test('an object is stored once, and deleted with the last repository that has it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.repository('engine');
  await ada.repository('mill');
  const object = await upload(ada, 'ada/engine', 'shared');
  await upload(ada, 'ada/mill', 'shared');
  const own = await upload(ada, 'ada/engine', 'own');
  assert.equal((await eve.post('/api/v1/repos/ada/engine/forks', {})).status, 202);
  const later = await upload(ada, 'ada/engine', 'after the fork');
  assert.equal(storedFiles(forge, object).length, 1);
  assert.equal(await rowsOf(forge), 3);

  await ada.delete('/api/v1/repos/ada/engine');
  await collect(forge);
  assert.equal((await download(eve, 'eve/engine', object))?.text, 'shared');
  assert.equal((await download(eve, 'eve/engine', own))?.text, 'own');
  assert.equal(await download(eve, 'eve/engine', later), undefined);
  assert.deepEqual(storedFiles(forge, later), []);

  await eve.delete('/api/v1/repos/eve/engine');
  await collect(forge);
  assert.deepEqual(storedFiles(forge, own), []);
  assert.equal((await download(ada, 'ada/mill', object))?.text, 'shared');

  await ada.delete('/api/v1/repos/ada/mill');
  await collect(forge, DAY_MS);
  assert.deepEqual(storedFiles(forge, object), []);
  assert.equal(await rowsOf(forge), 0);
});

test('an object that is uploaded again while it is collected stays', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { jobs, objects } = forge.forge.running.services;
  // Only this test collects.
  await jobs.stop();
  const remove = objects.delete.bind(objects);
  await ada.repository('mill');
  await ada.repository('engine');
  const object = await upload(ada, 'ada/engine', 'again');
  await ada.delete('/api/v1/repos/ada/engine');
  let uploads = 0;
  objects.delete = async (key) => {
    uploads += 1;
    await upload(ada, 'ada/mill', 'again');
    await remove(key);
    await upload(ada, 'ada/mill', 'again');
  };

  await collect(forge, DAY_MS);

  objects.delete = remove;
  await collect(forge, DAY_MS);
  assert.equal(uploads, 1);
  assert.equal((await download(ada, 'ada/mill', object))?.text, 'again');
  assert.equal(storedFiles(forge, object).length, 1);
  assert.equal(await rowsOf(forge), 1);
});

test('an upload that the collection has overtaken is rejected, and leaves nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { objects } = forge.forge.running.services;
  const put = objects.put.bind(objects);
  objects.put = async (...args) => {
    await collect(forge, DAY_MS);
    const outcome = await put(...args);
    objects.put = put;
    return outcome;
  };
  const object = objectOf('slow');

  const { status } = await ada.send('PUT', `/ada/engine/info/lfs/objects/${object.oid}/4`, { body: 'slow' });

  assert.equal(status, 503);
  assert.deepEqual(storedFiles(forge, object), []);
  assert.equal(await rowsOf(forge), 0);
  await upload(ada, 'ada/engine', 'slow');
  assert.equal((await download(ada, 'ada/engine', object))?.text, 'slow');
});

test('copies and deletions of links do not shorten the reservation of an upload', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const [name, template] of [
    ['engine', true],
    ['mill', false],
  ] as const)
    await ada.repository(name, { template });
  await addLargeFile(ada, 'large.bin', 'shared');
  const object = objectOf('shared');
  const { objects } = forge.forge.running.services;
  const head = objects.head.bind(objects);
  let isCollected = false;
  objects.head = async (key) => {
    objects.head = head;
    const copy = { owner: 'ada', name: 'copy', git_content: true };
    assert.equal((await ada.post('/api/v1/repos/ada/engine/generate', copy)).status, 201);
    for (const name of ['engine', 'copy']) await ada.delete(`/api/v1/repos/ada/${name}`);
    await collect(forge);
    isCollected = true;
    return head(key);
  };

  const path = `/ada/mill/info/lfs/objects/${object.oid}/${object.size}`;
  const { status, text } = await ada.send('PUT', path, { body: 'shared' });

  assert.equal(isCollected, true);
  assert.equal(status, 200, text);
  assert.equal((await download(ada, 'ada/mill', object))?.text, 'shared');
});

test('what an interrupted upload leaves is collected after an hour', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const object = objectOf('lost');
  const { database, objects, objectIntake } = forge.forge.running.services;
  assert.equal(typeof objectIntake, 'object');
  const wrong = await ada.send('PUT', `/ada/engine/info/lfs/objects/${object.oid}/4`, { body: 'xxxx' });
  assert.equal(wrong.status, 422);
  const [row] = await database.reader.selectFrom('lfs_objects').select('id').execute();
  const key = `lfs/${object.oid.slice(0, 2)}/${object.oid.slice(2, 4)}/${object.oid.slice(4)}.${row?.id}`;
  await objects.put(key, bytesOf('lost'));

  await collect(forge, 59 * 60_000);
  assert.equal(storedFiles(forge, object).length, 1);
  await collect(forge, 61 * 60_000);
  assert.deepEqual(storedFiles(forge, object), []);
  assert.equal(await rowsOf(forge), 0);
});

test('bytes that two faults have left without a row are deleted after a day', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { objects, objectFiles, uploadFiles } = forge.forge.running.services;
  const kept = await upload(ada, 'ada/engine', 'kept');
  const stray = `${kept.oid.slice(0, 2)}/${kept.oid.slice(2, 4)}/${kept.oid.slice(4)}.999`;
  const part = await ada.send('PATCH', `/ada/engine.git/info/lfs/uploads/${objectOf('unfinished').oid}/10`, {
    body: 'unfi',
    headers: {
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    },
  });
  assert.equal(part.status, 204, part.text);
  for (const key of [`lfs/${stray}`, 'lfs-parts/999/0000000000000000']) await objects.put(key, bytesOf('x'));
  const keys = async () => {
    const found: string[] = [];
    for (const prefix of ['lfs/', 'lfs-parts/'])
      for await (const { key } of objects.list(prefix)) found.push(key);
    return found;
  };
  assert.equal((await keys()).length, 4);
  const sweep = async (aheadMs: number) => {
    const at = { signal: new AbortController().signal, now: Date.now() + aheadMs };
    await uploadFiles.sweep(at);
    await objectFiles.sweep(at, kept.oid.slice(0, 2));
  };

  await sweep(DAY_MS - 60 * 60_000);
  assert.equal((await keys()).length, 4);
  await sweep(DAY_MS + 60 * 60_000);
  const left = await keys();
  assert.equal(left.length, 2);
  assert.ok(left.every((key) => !/\.999$|\/999\//.test(key)));
  assert.equal((await download(ada, 'ada/engine', kept))?.text, 'kept');
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
