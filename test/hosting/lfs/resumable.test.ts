import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { LFS_LIMITS } from '../../../src/hosting/lfs/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { batch, download, objectOf, sendLfs, storedFiles, type TestObject } from './objects.ts';
import { headersAt, offsetOf, patch as patchOf, storedParts, TUS, uploadPath } from './tus.ts';

/** Names of the uploads that have parts on the disk. */
function unfinished(forge: TestForge): readonly string[] {
  return [...storedParts(forge).keys()];
}

test('an upload that can continue', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const root = '/ada/engine.git/info/lfs';
  const urlOf = (object: TestObject) => uploadPath('ada/engine', object);
  const head = (url: string) => offsetOf(ada, url);
  const patch = (url: string, offset: number | string, body: string, headers: Record<string, string> = {}) =>
    patchOf(ada, url, { offset, body }, headers);

  await t.test('is offered to clients that ask for it', async () => {
    const json = { operation: 'upload', transfers: ['basic', 'tus'], objects: [objectOf('new')] };
    const answer = await sendLfs(ada, 'POST', `${root}/objects/batch`, json);
    assert.equal(answer.body.transfer, 'tus');
    const { href } = answer.body.objects[0].actions.upload;
    assert.equal(href, `${forge.url}${urlOf(objectOf('new'))}`);
    assert.equal((await batch(ada, 'ada/engine', 'upload', [objectOf('new')])).body.transfer, undefined);
    const down = await sendLfs(ada, 'POST', `${root}/objects/batch`, { ...json, operation: 'download' });
    assert.equal(down.body.transfer, undefined);
  });

  await t.test('continues where it ended, also after a cut', async () => {
    const object = objectOf('one two three');
    const url = urlOf(object);
    assert.equal(await head(url), 0);
    const first = await patch(url, 0, 'one ');
    assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '4']);
    assert.equal(await head(url), 4);
    assert.equal((await patch(url, 0, 'one ')).status, 409);
    assert.equal((await ada.get(`${root}/objects/${object.oid}`)).status, 404);

    const cut = request(`${forge.url}${url}`, {
      method: 'PATCH',
      headers: {
        ...headersAt(4),
        authorization: `token ${ada.token}`,
        'content-length': object.size - 4,
      },
    });
    cut.on('error', () => {});
    cut.write('two ');
    await until(() => forge.forge.running.services.largeFiles.uploads.running === 1);
    cut.destroy();
    await until(() => forge.forge.running.services.largeFiles.uploads.running === 0);
    const offset = await head(url);
    assert.ok(offset === 8 || offset === 4, String(offset));

    const last = await patch(url, offset, 'one two three'.slice(offset));
    assert.deepEqual([last.status, last.headers.get('upload-offset')], [204, '13']);
    assert.equal(await head(url), 13);
    assert.equal((await download(ada, 'ada/engine', object))?.text, 'one two three');
    assert.deepEqual(unfinished(forge), []);
  });

  await t.test('starts again if its bytes are not the object', async () => {
    const object = objectOf('right');
    const url = urlOf(object);
    await patch(url, 0, 'wro');
    assert.equal((await patch(url, 3, 'ng')).status, 422);
    assert.deepEqual(storedFiles(forge, object), []);
    assert.equal(await head(url), 0);
    assert.deepEqual(unfinished(forge), []);
    assert.equal((await patch(url, 0, 'right!')).status, 422);
    assert.equal((await patch(url, 0, 'right')).status, 204);
  });

  await t.test('H6: starts again if it has arrived in too many pieces', async () => {
    const object = objectOf('piece by piece');
    const url = urlOf(object);
    await patch(url, 0, 'p');
    const [id = ''] = unfinished(forge);
    const folder = join(forge.forge.dataFolder, 'objects/lfs-parts', id);
    for (let at = 1; at <= LFS_LIMITS.lfsCutPartsMax + 1; at += 1)
      writeFileSync(join(folder, String(at).padStart(16, '0')), 'p');
    const answer = await patch(url, 2, 'e');
    assert.deepEqual([answer.status, answer.body.message], [409, '0 bytes have arrived: continue there']);
    assert.deepEqual(unfinished(forge), []);
    assert.equal(await head(url), 0);
    assert.equal((await patch(url, 0, 'piece by piece')).status, 204);
  });

  await t.test('rejects requests that are not of the protocol', async () => {
    const url = urlOf(objectOf('strict'));
    assert.equal((await patch(url, 0, 'strict', { 'tus-resumable': '0.2.0' })).status, 412);
    assert.equal((await patch(url, 0, 'strict', { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await patch(url, 'x', 'strict')).status, 400);
    assert.equal((await patch(url, 1, 'trict')).status, 409);
    assert.equal(await head(`${root}/uploads/x/1`), 'status 422');
    assert.equal(await head(`${root}/uploads/${objectOf('x').oid}/-1`), 'status 422');
  });

  await t.test('belongs to its account and its repository', async () => {
    const bob = await forge.account('bob');
    await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
    await ada.repository('mill');
    const object = objectOf('private progress');
    await patch(urlOf(object), 0, 'private ');
    const other = await bob.send('HEAD', urlOf(object), { headers: TUS });
    assert.equal(other.headers.get('upload-offset'), '0');
    assert.equal(await head(urlOf(object).replace('engine', 'mill')), 0);
    assert.equal(await head(urlOf(object)), 8);
  });

  await t.test('is removed a day after its last part', async () => {
    const { uploadFiles } = forge.forge.running.services;
    const { signal } = new AbortController();
    const object = objectOf('abandoned');
    await patch(urlOf(object), 0, 'aban');
    await uploadFiles.collect({ signal, aheadMs: 23 * 60 * 60_000 });
    assert.equal(await head(urlOf(object)), 4);
    await uploadFiles.collect({ signal, aheadMs: 25 * 60 * 60_000 });
    assert.equal(await head(urlOf(object)), 0);
    assert.deepEqual(unfinished(forge), []);
  });

  await t.test('A11: does not continue after its account was disabled', async () => {
    const ben = await forge.account('ben');
    await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'write' });
    const object = objectOf('four five');
    const url = urlOf(object);
    const begin = (of: Person, body: string) => patchOf(of, url, { offset: 0, body });
    const offset = (of: Person) => offsetOf(of, url);
    const disable = async () => {
      for (const active of [false, true])
        await forge.root.patch('/api/v1/admin/users/ben', { login_name: 'ben', source_id: 0, active });
    };
    await begin(ada, 'four ');
    await begin(ben, 'four');
    await disable();
    assert.equal((await begin(ben, 'fou')).status, 204);
    assert.equal(await offset(ben), 3);
    await disable();
    assert.deepEqual([await offset(ben), await offset(ada)], [0, 5]);
    assert.equal((await patch(url, 5, 'five')).status, 204);
    const { uploadFiles } = forge.forge.running.services;
    await uploadFiles.collect({ signal: new AbortController().signal, aheadMs: 0 });
    assert.equal(unfinished(forge).length, 1);
  });
});
