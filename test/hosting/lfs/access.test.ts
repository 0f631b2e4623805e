import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY_PASSWORD, viewerOf } from '../../../src/api/access/viewer.ts';
import { TransferTokens } from '../../../src/people/authentication/transfer-tokens.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import type { Credentials } from '../../support/http/http.ts';
import { batch, download, follow, objectOf, pointerTo, sendLfs, storedFiles, upload } from './objects.ts';

test('who may transfer objects', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  const reader = await forge.account('reader');
  await ada.repository('open');
  await ada.repository('secret', { private: true });
  await eve.repository('own');
  for (const name of ['open', 'secret'])
    await ada.put(`/api/v1/repos/ada/${name}/collaborators/reader`, { permission: 'read' });
  const stored = await upload(ada, 'ada/secret', 'the secret');
  await upload(ada, 'ada/open', 'the open one');
  const fresh = objectOf('fresh');

  const statusesOf = async (who: Person | typeof forge, repository: string) => [
    (await batch(who, repository, 'download', [stored])).status,
    (await batch(who, repository, 'upload', [fresh])).status,
    (await who.send('GET', `/${repository}.git/info/lfs/objects/${objectOf('the open one').oid}`)).status,
    (await who.send('PUT', `/${repository}.git/info/lfs/objects/${fresh.oid}/5`, { body: 'fresh' })).status,
    (await sendLfs(who, 'POST', `/${repository}.git/info/lfs/verify`, fresh)).status,
  ];

  await t.test('a hidden repository is answered as a missing one', async () => {
    for (const repository of ['ada/secret', 'ada/missing', 'nobody/missing']) {
      assert.deepEqual(await statusesOf(forge, repository), [401, 401, 401, 401, 401], repository);
      assert.deepEqual(await statusesOf(eve, repository), [404, 404, 404, 404, 404], repository);
    }
    const challenge = await batch(forge, 'ada/secret', 'download', []);
    assert.equal(challenge.headers.get('www-authenticate'), 'Basic realm=gitea-lfs');
    for (const path of ['objects/batch', 'locks']) {
      const json = { operation: 'download', objects: [], path: 'a' };
      const missing = await sendLfs(eve, 'POST', `/ada/secret.git/info/lfs/${path}`, json);
      assert.equal(missing.body.message, 'repository not found');
    }
  });

  await t.test('uploads need write access', async () => {
    assert.deepEqual(await statusesOf(forge, 'ada/open'), [200, 401, 200, 401, 401]);
    assert.deepEqual(await statusesOf(eve, 'ada/open'), [200, 403, 200, 403, 403]);
    assert.deepEqual(await statusesOf(reader, 'ada/open'), [200, 403, 200, 403, 403]);
    assert.deepEqual(await statusesOf(reader, 'ada/secret'), [200, 403, 404, 403, 403]);
  });

  await t.test('tokens need the scope of the operation', async () => {
    const as = { token: await ada.tokenFor(['read:repository']) };
    const other = { token: await ada.tokenFor(['write:issue']) };
    assert.equal((await batch(forge, 'ada/secret', 'download', [], { as })).status, 200);
    assert.equal((await batch(forge, 'ada/secret', 'upload', [], { as })).status, 403);
    assert.equal((await batch(forge, 'ada/open', 'download', [], { as: other })).status, 403);
  });

  await t.test('archived repositories take no objects', async () => {
    await ada.repository('old');
    await ada.patch('/api/v1/repos/ada/old', { archived: true });
    assert.equal((await batch(ada, 'ada/old', 'upload', [fresh])).status, 403);
    assert.equal((await batch(ada, 'ada/old', 'download', [fresh])).status, 200);
  });

  await t.test('C6: an object of another repository is linked only after its bytes were sent', async () => {
    const answer = await batch(eve, 'eve/own', 'upload', [stored]);
    const { actions } = answer.body.objects[0];
    const url = `/eve/own.git/info/lfs/objects/${stored.oid}`;
    assert.equal((await follow('POST', actions.verify, JSON.stringify(stored))).status, 404);
    assert.equal((await follow('PUT', actions.upload, 'x'.repeat(stored.size))).status, 422);
    assert.equal((await batch(eve, 'eve/own', 'download', [stored])).body.objects[0].error.code, 404);
    assert.equal((await eve.get(url)).status, 404);
    const pointer = Buffer.from(pointerTo(stored)).toString('base64');
    await eve.post('/api/v1/repos/eve/own/contents/stolen.bin', { content: pointer });
    assert.equal((await eve.get('/api/v1/repos/eve/own/media/stolen.bin')).text, pointerTo(stored));

    assert.equal((await follow('PUT', actions.upload, 'the secret')).status, 200);
    assert.equal((await eve.get(url)).text, 'the secret');
    assert.equal(storedFiles(forge, stored).length, 1);
  });

  await t.test('addresses work without .git, and lead on after a rename', async () => {
    assert.equal(
      (await sendLfs(ada, 'POST', '/ada/open/info/lfs/verify', objectOf('the open one'))).status,
      200,
    );
    await ada.repository('before');
    const object = await upload(ada, 'ada/before', 'moved');
    await ada.patch('/api/v1/repos/ada/before', { name: 'after' });

    for (const ending of ['', '.git']) {
      const path = `/ada/before${ending}/info/lfs/objects`;
      const get = await ada.get(`${path}/${object.oid}`);
      const post = await sendLfs(ada, 'POST', `${path}/batch`, { operation: 'download', objects: [] });
      const put = await ada.send('PUT', `${path}/${object.oid}/5`, { body: 'moved' });
      const to = `/ada/after${ending}/info/lfs/objects`;
      assert.deepEqual([get.status, get.headers.get('location')], [301, `${to}/${object.oid}`]);
      assert.deepEqual([post.status, post.headers.get('location')], [307, `${to}/batch`]);
      assert.deepEqual([put.status, put.headers.get('location')], [307, `${to}/${object.oid}/5`]);
    }
    assert.equal((await download(ada, 'ada/after', object))?.text, 'moved');
  });
});

test('tokens for transfers', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await ada.repository('mill', { private: true });
  const object = await upload(ada, 'ada/engine', 'object');
  await upload(ada, 'ada/mill', 'object');
  const fresh = objectOf('fresh');
  const password = { name: 'ada', password: ada.password };

  const tokens = async (as: Parameters<typeof batch>[4] = {}) => {
    const who = as.as === undefined ? ada : forge;
    const down = await batch(who, 'ada/engine', 'download', [object], as);
    const up = await batch(who, 'ada/engine', 'upload', [objectOf('never')], as);
    return {
      read: down.body.objects[0].actions.download.header.Authorization,
      write: up.body.objects[0].actions.upload.header.Authorization,
      expiresAt: down.body.objects[0].actions.download.expires_at,
    };
  };
  const get = (authorization: string, repository = 'ada/engine') =>
    forge.get(`/${repository}.git/info/lfs/objects/${object.oid}`, { headers: { authorization } });
  const put = (authorization: string, repository = 'ada/engine') =>
    forge.send('PUT', `/${repository}.git/info/lfs/objects/${fresh.oid}/5`, {
      headers: { authorization },
      body: 'fresh',
    });

  await t.test('C7: a token is for one operation on one repository, and expires', async () => {
    const { read, write, expiresAt } = await tokens();
    assert.match(read, /^Bearer quiret_/);
    // An earlier version has issued tokens that begin in another way.
    assert.equal((await get(read.replace('quiret_', 'transfer-'))).text, 'object');
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 60_000) < 60_000);
    assert.equal((await get(read)).text, 'object');
    assert.equal((await put(write)).status, 200);
    assert.equal((await get(write)).status, 401);
    assert.equal((await put(read)).status, 401);
    assert.equal((await get(read, 'ada/mill')).status, 403);
    assert.equal((await put(write, 'ada/mill')).status, 403);
  });

  await t.test('a token works nowhere else', async () => {
    const { write } = await tokens();
    const headers = { authorization: write };
    assert.equal((await forge.get('/api/v1/user', { headers })).status, 401);
    assert.equal((await forge.get('/api/v1/repos/ada/engine', { headers })).status, 401);
    assert.equal(
      (await forge.get('/ada/engine.git/info/refs?service=git-upload-pack', { headers })).status,
      401,
    );
    assert.equal((await batch(forge, 'ada/engine', 'upload', [], { headers })).status, 401);
    const login = `Basic ${Buffer.from(`ada:${write.slice('Bearer '.length)}`).toString('base64')}`;
    assert.equal((await put(login)).status, 401);
  });

  await t.test('a changed token is rejected', async () => {
    const { read } = await tokens();
    const [head = '', signature = ''] = read.split('.');
    const claims = JSON.parse(Buffer.from(head.slice('Bearer quiret_'.length), 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, accountId: 1 })).toString('base64url');
    for (const token of [
      `Bearer quiret_${forged}.${signature}`,
      `${head}.`,
      head,
      `${head}.${signature}.x`,
      'Bearer quiret_',
      'Bearer quiret_.',
      'Bearer transfer-.',
    ])
      assert.equal((await get(token)).status, 401, token);
    const viewer = viewerOf(
      { id: claims.accountId, name: 'ada', isAdmin: false, isRestricted: false },
      BY_PASSWORD,
    );
    const foreign = new TransferTokens(Buffer.alloc(32)).issue(
      { ...viewer, source: claims.source },
      claims.transfer,
    );
    assert.equal((await get(`Bearer ${foreign?.token}`)).status, 401);
  });

  await t.test('C7: a token ends with the credential that it stands for', async () => {
    const secret = await ada.tokenFor(['write:repository']);
    const { read, write } = await tokens({ as: { token: secret } });
    assert.equal((await get(read)).status, 200);
    const list = await forge.send('GET', '/api/v1/users/ada/tokens', { as: password });
    const named = list.body.find((each: { token_last_eight: string }) =>
      secret.endsWith(each.token_last_eight),
    );
    await forge.send('DELETE', `/api/v1/users/ada/tokens/${named.id}`, { as: password });
    assert.deepEqual([(await get(read)).status, (await put(write)).status], [401, 401]);
  });

  await t.test('C7: a token ends with the access of its account', async () => {
    const bob = await forge.account('bob');
    await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
    const { read, write } = await tokens({ as: { name: 'bob', password: bob.password } });
    assert.equal((await get(read)).status, 200);
    await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'read' });
    assert.deepEqual([(await get(read)).status, (await put(write)).status], [200, 403]);
    await ada.delete('/api/v1/repos/ada/engine/collaborators/bob');
    assert.deepEqual([(await get(read)).status, (await put(write)).status], [404, 404]);
    await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
    assert.equal((await get(read)).status, 200);
    await forge.root.patch('/api/v1/admin/users/bob', { password: 'another password' });
    assert.equal((await get(read)).status, 401);
  });
});

test('C7: a token for transfers ends when its account is disabled or has a new password, for good', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const object = await upload(ada, 'ada/engine', 'object');
  const secret = await ada.tokenFor(['write:repository']);
  const change = async (edit: object) => {
    const sent = { login_name: 'ada', source_id: 0, ...edit };
    assert.equal((await forge.root.patch('/api/v1/admin/users/ada', sent)).status, 200);
  };
  const issued = async (as: Credentials): Promise<string> => {
    const { body } = await batch(forge, 'ada/engine', 'download', [object], { as });
    return body.objects[0].actions.download.header.Authorization;
  };
  const statuses = async (tokens: readonly string[]) => {
    const url = `/ada/engine.git/info/lfs/objects/${object.oid}`;
    const answers = await Promise.all(
      tokens.map((authorization) => forge.get(url, { headers: { authorization } })),
    );
    return answers.map(({ status }) => status);
  };
  let password = ada.password;
  for (const [disabled, enabled] of [
    [{ active: false }, { active: true }],
    [{ prohibit_login: true }, { prohibit_login: false }],
  ]) {
    const tokens = [await issued({ name: 'ada', password }), await issued({ token: secret })];
    assert.deepEqual(await statuses(tokens), [200, 200]);
    await change(disabled ?? {});
    assert.deepEqual(await statuses(tokens), [403, 403]);
    await change(enabled ?? {});
    assert.deepEqual(await statuses(tokens), [401, 401]);
  }
  const tokens = [await issued({ name: 'ada', password }), await issued({ token: secret })];
  password = 'another password';
  await change({ password });
  assert.deepEqual(await statuses(tokens), [401, 401]);
  assert.deepEqual(await statuses([await issued({ token: secret })]), [200]);
});

test('a token for a transfer expires after half an hour', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const tokens = new TransferTokens(Buffer.alloc(32));
  const account = { id: 1, name: 'ada', isAdmin: false, isRestricted: false };
  const viewer = viewerOf(account, { ...BY_PASSWORD, source: { kind: 'password', version: 1 } });
  const issued = tokens.issue(viewer, { repositoryId: 1, operation: 'download' });

  t.mock.timers.setTime(30 * 60_000 - 1);
  assert.equal(tokens.read(issued?.token ?? '')?.transfer.repositoryId, 1);
  t.mock.timers.setTime(30 * 60_000);
  assert.equal(tokens.read(issued?.token ?? ''), undefined);
});
