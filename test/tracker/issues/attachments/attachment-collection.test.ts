import assert from 'node:assert/strict';
import { request as startRequest } from 'node:http';
import { test } from 'node:test';
import { STORAGE_LIMITS } from '../../../../src/storage/limits.ts';
import { bodyOf, keysOf, read } from '../../../storage/objects.ts';
import { startForge } from '../../../support/forge/forge.ts';
import { until } from '../../../support/until.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from '../tracker.ts';
import { attach, collected, PICTURE, pathOf, upload } from './attachment-files.ts';

test('files go with their attachment, comment, issue, repository and owner, by a job that they request', async (t) => {
  const { forge, ada, ben } = await startTracker(t);
  const { objects, database } = forge.forge.running.engines;
  for (const title of ['One', 'Two', 'Three']) await open(ada, title);
  const commentOf = async (number: number) =>
    `${ISSUES}/comments/${(await ada.post(`${ISSUES}/${number}/comments`, { body: 'Mine' })).body.id}`;
  const comments = [await commentOf(1), await commentOf(2)];
  await ben.repository('mill');
  await open(ben, 'One', {}, '/api/v1/repos/ben/mill/issues');
  const urls = [
    ...[1, 2, 3].map((number) => `${ISSUES}/${number}`),
    ...comments,
    '/api/v1/repos/ben/mill/issues/1',
  ];
  const files: Wire[] = [];
  for (const url of urls) files.push(await attach(ben, `${url}/assets`));
  const left = async () => (await keysOf(objects, 'attachments/')).length;
  assert.equal(await left(), 6);

  const deletions = [
    [() => ada.delete(`${urls[0]}/assets/${files[0].id}`), 5],
    [() => ada.delete(comments[0] ?? ''), 4],
    // With its comment.
    [() => ada.delete(`${ISSUES}/2`), 2],
    [() => forge.root.delete('/api/v1/admin/users/ben?purge=true'), 1],
    [() => ada.delete(ENGINE), 0],
  ] as const;
  for (const [remove, count] of deletions) {
    assert.equal((await remove()).status, 204);
    await until(async () => (await left()) === count);
    if (count === 1) assert.equal((await forge.get(pathOf(files[2]))).status, 200, 'the uploader is gone');
  }
  for (const file of files) assert.equal((await forge.get(pathOf(file))).status, 404);
  await until(
    async () => (await database.reader.selectFrom('issue_attachments').select('id').execute()).length === 0,
  );
});

test('an upload that is cut off leaves nothing, and one that takes long is not collected', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'One');
  const { database } = forge.forge.running.engines;
  const rows = () => database.reader.selectFrom('issue_attachments').selectAll().execute();
  const begin = () => {
    const headers = {
      authorization: `token ${ada.token}`,
      'content-type': 'multipart/form-data; boundary=b',
    };
    const sent = startRequest(`${forge.url}${ISSUES}/1/assets`, { method: 'POST', headers });
    const answered = new Promise<number>((resolve) => {
      sent.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.once('error', () => resolve(0));
    });
    sent.write('--b\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nHalf');
    return { sent, answered };
  };

  const cut = begin();
  await until(async () => (await rows()).length === 1);
  cut.sent.destroy();
  assert.equal(await cut.answered, 0);
  await until(async () => (await rows()).length === 0);
  assert.deepEqual(await collected(forge), []);

  const slow = begin();
  await until(async () => (await rows()).length === 1);
  await collected(forge, STORAGE_LIMITS.fileReservationMs - 60_000);
  assert.equal((await rows()).length, 1);
  slow.sent.end('\r\n--b--\r\n');
  assert.equal(await slow.answered, 201);
  const [key = ''] = await collected(forge);
  assert.equal(await read(forge.forge.running.engines.objects, key), 'Half');

  const late = begin();
  await until(async () => (await rows()).length === 2);
  await collected(forge, 2 * STORAGE_LIMITS.fileReservationMs);
  late.sent.end('\r\n--b--\r\n');
  assert.equal(await late.answered, 503);
  assert.deepEqual(await collected(forge), [key]);
  assert.equal((await rows()).length, 1);
});

test('bytes of attachments that two faults have left without a row are deleted after a day', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'One');
  await attach(ada, `${ISSUES}/1/assets`);
  const { services, engines } = forge.forge.running;
  const [kept = ''] = await collected(forge);
  const stray = kept.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  await engines.objects.put(stray, bodyOf('x'));
  const digits = kept.split('/')[1];
  const sweep = async (aheadMs: number) => {
    const { signal } = new AbortController();
    await services.attachmentFiles.sweep({ signal, now: Date.now() + aheadMs }, digits);
    return keysOf(engines.objects, 'attachments/');
  };

  assert.deepEqual(await sweep(STORAGE_LIMITS.incomingObjectMs - 60 * 60_000), [kept, stray].sort());
  assert.deepEqual(await sweep(STORAGE_LIMITS.incomingObjectMs + 60 * 60_000), [kept]);
});

test('attachments count for the room of the owner, together with large files', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const [ada, cid] = [await forge.account('ada'), await forge.account('cid')];
  await ada.repository('engine');
  await open(cid, 'One');
  const url = `${ISSUES}/1/assets`;

  const half = Buffer.alloc(600 * 1024, 'x');
  const first = await attach(cid, url, half, 'a.txt');
  const full = await upload(cid, url, half, 'b.txt');
  assert.deepEqual(
    [full.status, full.body.message],
    [413, 'the owner of the repository has no room for this file'],
  );
  assert.equal((await upload(cid, url, PICTURE)).status, 201);
  assert.equal((await collected(forge)).length, 2);
  assert.equal((await cid.delete(`${url}/${first.id}`)).status, 204);
  assert.equal((await upload(cid, url, half, 'b.txt')).status, 201);
});
