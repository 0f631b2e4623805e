import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';

const COLLABORATORS = '/api/v1/repos/ada/engine/collaborators';

test('a collaborator is added, listed, changed to another level and removed', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('Ben')];
  await ada.repository('engine', { private: true });
  const permissions = async () => (await ben.get('/api/v1/repos/ada/engine')).body.permissions;
  assert.equal((await ada.get(`${COLLABORATORS}/ben`)).status, 404);

  const added = await ada.put(`${COLLABORATORS}/BEN`);

  assert.deepEqual([added.status, added.text], [204, '']);
  assert.deepEqual(await permissions(), { admin: false, push: true, pull: true });
  const listed = await ada.get(COLLABORATORS);
  assert.deepEqual(
    listed.body.map((user: { login: string }) => user.login),
    ['Ben'],
  );
  assert.equal(listed.headers.get('x-total-count'), '1');
  assert.equal((await ada.get(`${COLLABORATORS}/ben`)).status, 204);

  await ada.put(`${COLLABORATORS}/ben`, { permission: 'read' });
  assert.deepEqual(await permissions(), { admin: false, push: false, pull: true });
  await ada.put(`${COLLABORATORS}/ben`, { permission: 'admin' });
  assert.deepEqual(await permissions(), { admin: true, push: true, pull: true });
  assert.equal((await ada.get(COLLABORATORS)).body.length, 1);

  assert.equal((await ada.delete(`${COLLABORATORS}/ben`)).status, 204);
  assert.equal((await ben.get('/api/v1/repos/ada/engine')).status, 404);
  assert.equal(
    (await ada.delete(`${COLLABORATORS}/ben`)).status,
    204,
    'removing a missing collaborator changes nothing',
  );
});

test('an invalid collaborator is rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  await forge.account('hidden', { visibility: 'private' });
  await ada.repository('engine');
  const put = async (name: string, body?: unknown) => {
    const { status, body: answer } = await ada.put(`${COLLABORATORS}/${name}`, body);
    return [status, answer.message];
  };

  assert.deepEqual(await put('ada'), [422, 'the owner cannot be a collaborator']);
  assert.deepEqual(await put('ben', { permission: 'owner' }), [422, '[Permission]: In(read,write,admin)']);
  assert.deepEqual(await put('nobody'), [404, "The target couldn't be found."]);
  assert.deepEqual(await put('hidden'), [404, "The target couldn't be found."]);
  assert.deepEqual((await ada.get(COLLABORATORS)).body, []);
});

test('only an administrator of the repository changes its collaborators', async (t) => {
  const forge = await startForge(t);
  const [ada, ben, cleo] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cleo'),
  ];
  await ada.repository('engine');
  const statuses = async () => [
    (await ben.get(COLLABORATORS)).status,
    (await ben.put(`${COLLABORATORS}/cleo`)).status,
    (await ben.delete(`${COLLABORATORS}/cleo`)).status,
  ];

  assert.deepEqual(await statuses(), [403, 403, 403]);
  for (const [permission, expected] of [
    ['read', [403, 403, 403]],
    ['write', [200, 403, 403]],
    ['admin', [200, 204, 204]],
  ] as const) {
    await ada.put(`${COLLABORATORS}/ben`, { permission });
    assert.deepEqual(await statuses(), expected, permission);
  }
  assert.equal((await cleo.delete('/api/v1/repos/ada/engine')).status, 403);
  assert.equal((await forge.get(COLLABORATORS)).status, 401);
});

test('B8: a caller who loses the level admin during the request changes no collaborators', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await ada.repository('engine');
  const collaborators = '/api/v1/repos/ada/engine/collaborators';
  await ada.put(`${collaborators}/cleo`, { permission: 'read' });
  const { accounts } = forge.forge.running.services;
  const getByName = accounts.getByName.bind(accounts);
  const changes = [
    () => ben.put(`${collaborators}/${forge.root.name}`, { permission: 'admin' }),
    () => ben.put(`${collaborators}/${cleo.name}`, { permission: 'admin' }),
    () => ben.delete(`${collaborators}/${cleo.name}`),
  ];
  for (const change of changes) {
    await ada.put(`${collaborators}/ben`, { permission: 'admin' });
    // Removes ben between the look-up of his request and its transaction.
    accounts.getByName = async (...given) => {
      accounts.getByName = getByName;
      await ada.delete(`${collaborators}/ben`);
      return getByName(...given);
    };

    assert.equal((await change()).status, 403);

    const { body } = await ada.get(collaborators);
    assert.deepEqual(
      body.map((each: { login: string }) => each.login),
      ['cleo'],
    );
    const permission = await ada.get(`${collaborators}/cleo/permission`);
    assert.equal(permission.body.permission, 'read');
  }
});
