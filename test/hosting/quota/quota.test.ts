import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { fragment } from '../../../src/base/database/fragment.ts';
import type { ArrivingBytes } from '../../../src/hosting/quota/model.ts';
import { Quota } from '../../../src/hosting/quota/service.ts';
import { addUp } from '../../../src/hosting/quota/store.ts';
import { failsAs } from '../../storage/objects.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API } from '../../support/forge/notes.ts';
import { until } from '../../support/until.ts';
import { attach, upload as uploadAttachment } from '../../tracker/issues/attachments/attachment-files.ts';
import { ISSUES, open } from '../../tracker/issues/tracker.ts';
import { objectOf, upload } from '../lfs/objects.ts';

test('large files and attachments share the room of an owner', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  const assets = `${ISSUES}/1/assets`;
  const [first, second] = [Buffer.alloc(400 * 1024, 'x'), Buffer.alloc(500 * 1024, 'y')];
  await upload(ada, 'ada/engine', first);
  await attach(ada, assets, second, 'a.txt');

  const third = Buffer.alloc(200 * 1024, 'z');
  const { oid, size } = objectOf(third);
  const object = await ada.send('PUT', `/ada/engine/info/lfs/objects/${oid}/${size}`, { body: third });
  assert.equal(object.status, 413);
  assert.match(object.body.message, /for size:git:lfs, size:assets:all has no room for this/);
  assert.equal((await uploadAttachment(ada, assets, third, 'b.txt')).status, 413);
});

test('one statement adds up the sums of all features', async (t) => {
  const database = await openTestDatabase(t);
  const sums = [1, 20, 300].map((bytes) => fragment`select cast(${bytes} as bigint) as bytes`);

  const { found, statements } = await statementsOf(database, (db) =>
    addUp(
      db,
      sums.map((sum) => ({ kind: 'size:git:lfs', sum })),
    ),
  );

  assert.deepEqual([found['size:git:lfs'], found['size:repos:public'], statements.length], [321, 0, 1]);
});

test('features count what they store, and leave out the uploads that the caller counts itself', async (t) => {
  const database = await openTestDatabase(t);
  const quota = new Quota({ database, quotaSettings: { ownerBytesMax: 100, defaultGroups: [] } });
  const asked: unknown[] = [];
  quota.count('size:git:lfs', (ownerId, without) => {
    asked.push([ownerId, without]);
    return fragment`select cast(${90} as bigint)`;
  });

  const uploads = { accountId: 1, repositoryId: 2, names: ['a'] };
  await quota.requireRoom(7, { kind: 'size:git:lfs', sizeBytes: 10, uploads });
  await assert.rejects(quota.requireRoom(7, { kind: 'size:git:lfs', sizeBytes: 11 }), failsAs('too_large'));
  await quota.requireRoom(7, { kind: 'size:git:lfs', sizeBytes: 0 });
  assert.deepEqual(asked, [
    [7, uploads],
    [7, undefined],
  ]);
});

test('uploads at the same time that grow have room together', async (t) => {
  const database = await openTestDatabase(t);
  const quota = new Quota({ database, quotaSettings: { ownerBytesMax: 100, defaultGroups: [] } });
  quota.count('size:git:lfs', () => fragment`select cast(${40} as bigint)`);
  const end = Promise.withResolvers<void>();
  const receive = async (ownerId: number) => {
    const started = Promise.withResolvers<ArrivingBytes>();
    const ended = quota.whileArriving(ownerId, { kind: 'size:git:lfs', sizeBytes: 0 }, async (arriving) => {
      started.resolve(arriving);
      await end.promise;
    });
    return { ...(await started.promise), ended };
  };
  const [first, second, other] = [await receive(7), await receive(7), await receive(8)];

  first.add(30);
  second.add(30);
  other.add(60);
  assert.throws(() => first.add(1), failsAs('too_large'));

  end.resolve();
  await Promise.all([first.ended, second.ended, other.ended]);
  const third = await receive(7);
  third.add(60);
  await third.ended;
});

test('a repository that gets another owner while bytes arrive may not have room for them', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await ada.repository('engine');
  const { objects } = forge.forge.running.services;
  forge.stopAfterTest();
  const put = objects.put.bind(objects);
  objects.put = async (...args) => {
    objects.put = put;
    await ada.post('/api/v1/repos/ada/engine/transfer', { new_owner: 'eve' });
    await eve.post('/api/v1/repos/ada/engine/transfer/accept', {});
    await eve.put('/api/v1/repos/eve/engine/collaborators/ada', { permission: 'write' });
    return put(...args);
  };
  const { oid, size } = objectOf('moved');

  const answer = await ada.send('PUT', `/ada/engine/info/lfs/objects/${oid}/${size}`, { body: 'moved' });

  assert.equal(answer.status, 404, answer.text);
  await upload(ada, 'eve/engine', 'moved');
});

/** Begins to send a form with a file of this many bytes. @returns the status of the response, which precedes the end */
async function statusBeforeEnd(
  to: { readonly url: string; readonly authorization: string; readonly field: string },
  sent: { readonly declaredBytes?: number; readonly bytes: number },
): Promise<number | undefined> {
  const disposition = `form-data; name="${to.field}"; filename="a.bin"`;
  const form = request(to.url, {
    method: 'POST',
    headers: {
      authorization: to.authorization,
      'content-type': 'multipart/form-data; boundary=b',
      ...(sent.declaredBytes === undefined ? {} : { 'content-length': sent.declaredBytes }),
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    form.on('response', ({ statusCode }) => resolve(statusCode));
    form.on('error', reject);
  });
  form.write(`--b\r\nContent-Disposition: ${disposition}\r\n\r\n${'x'.repeat(sent.bytes)}`);
  const status = await answered;
  form.destroy();
  return status;
}

test('a file without room is rejected before all of it has arrived', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  const assets = `${ISSUES}/1/assets`;
  await attach(ada, assets, Buffer.alloc(600 * 1024, 'x'), 'a.bin');
  const { id } = (await ada.post(`${NOTES_API}/v1/notes`, { title: 'n' })).body;
  const authorization = `token ${ada.token}`;
  const ofIssue = { url: `${forge.url}${assets}`, authorization, field: 'attachment' };
  const ofNote = { url: `${forge.url}${NOTES_API}/v1.4/attachment/${id}`, authorization, field: 'file' };

  for (const [to, status] of [
    [ofIssue, 413],
    [ofNote, 507],
  ] as const) {
    assert.equal(await statusBeforeEnd(to, { declaredBytes: 700 * 1024, bytes: 10 }), status);
    assert.equal(await statusBeforeEnd(to, { bytes: 500 * 1024 }), status);
  }
  const incoming = join(forge.forge.dataFolder, 'objects/.incoming');
  await until(() => readdirSync(incoming).length === 0);
  await attach(ada, assets, Buffer.alloc(400 * 1024, 'y'), 'b.bin');
});
