import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment } from '../../../src/base/database/fragment.ts';
import { Quota } from '../../../src/hosting/quota/service.ts';
import { addUp } from '../../../src/hosting/quota/store.ts';
import { failsAs } from '../../storage/objects.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { startForge } from '../../support/forge/forge.ts';
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
  assert.match(object.body.message, /may have 1048576 bytes together, and have 921600 with/);
  assert.equal((await uploadAttachment(ada, assets, third, 'b.txt')).status, 413);
});

test('one statement adds up the sums of all features', async (t) => {
  const database = await openTestDatabase(t);
  const sums = [1, 20, 300].map((bytes) => fragment`select cast(${bytes} as bigint) as bytes`);

  const { found, statements } = await statementsOf(database, (db) => addUp(db, sums));

  assert.deepEqual([found, statements.length], [321, 1]);
});

test('features count what they store, and leave out the uploads that the caller counts itself', async (t) => {
  const database = await openTestDatabase(t);
  const quota = new Quota({ database, quotaSettings: { ownerBytesMax: 100 } });
  const asked: unknown[] = [];
  quota.count((ownerId, without) => {
    asked.push([ownerId, without]);
    return fragment`select cast(${90} as bigint)`;
  });

  const uploads = { accountId: 1, repositoryId: 2, names: ['a'] };
  await quota.requireRoom(7, { sizeBytes: 10, uploads });
  await assert.rejects(quota.requireRoom(7, { sizeBytes: 11 }), failsAs('too_large'));
  await quota.requireRoom(7, { sizeBytes: 0 });
  assert.deepEqual(asked, [
    [7, uploads],
    [7, undefined],
  ]);
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
