import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';

async function ada(t: TestContext) {
  const forge = await startForge(t);
  return { forge, person: await forge.account('ada') };
}

test('status.php says that this is a server for clients, without sign-in', async (t) => {
  const { forge } = await ada(t);
  const { status, body } = await forge.get('/status.php');
  assert.equal(status, 200);
  const { version, versionstring, ...rest } = body;
  assert.deepEqual(rest, {
    installed: true,
    maintenance: false,
    needsDbUpgrade: false,
    edition: '',
    productname: 'Quire',
    extendedSupport: false,
  });
  assert.match(version, /^\d+\.\d+\.\d+\.\d+$/);
  assert.match(versionstring, /^\d+\.\d+\.\d+$/);
});

test('a client reads its user in JSON and XML, in both versions of the interface', async (t) => {
  const { forge, person } = await ada(t);
  const as = { name: 'ada', password: person.password };
  const headers = { 'ocs-apirequest': 'true' };
  for (const [version, code] of [
    ['v1.php', 100],
    ['v2.php', 200],
  ] as const) {
    const json = await forge.send('GET', `/ocs/${version}/cloud/user?format=json`, { as, headers });
    assert.equal(json.body.ocs.meta.statuscode, code);
    assert.deepEqual([json.body.ocs.data.id, json.body.ocs.data['display-name']], ['ada', 'ada']);
    const xml = await forge.send('GET', `/ocs/${version}/cloud/user`, { as, headers });
    assert.match(xml.text, /<id>ada<\/id>/);
    assert.equal(
      (await forge.send('GET', `/ocs/${version}/cloud/user`, { as })).text.includes('<id>'),
      false,
    );
  }
  assert.equal((await forge.send('GET', '/ocs/v2.php/cloud/user', { headers })).status, 401);
});

test('a client reads other users without their e-mail address, and hidden ones not at all', async (t) => {
  const { forge, person } = await ada(t);
  const grace = await forge.account('grace');
  const headers = { 'ocs-apirequest': 'true' };
  const read = async (name: string) =>
    forge.send('GET', `/ocs/v2.php/cloud/users/${name}?format=json`, {
      as: { token: person.token },
      headers,
    });
  const seen = await read('grace');
  assert.deepEqual([seen.status, seen.body.ocs.data.id, seen.body.ocs.data.email], [200, 'grace', null]);
  await grace.patch('/api/v1/user/settings', {});
  await forge.root.patch('/api/v1/admin/users/grace', {
    login_name: 'grace',
    source_id: 0,
    visibility: 'private',
  });
  const [hidden, missing] = await Promise.all([read('grace'), read('missing')]);
  assert.equal(hidden.status, 404);
  assert.deepEqual(hidden.body, missing.body);
});

test('the picture of a user is found by name', async (t) => {
  const { forge } = await ada(t);
  for (const prefix of ['', '/index.php']) {
    const answer = await forge.send('GET', `${prefix}/avatar/ada/64`, { redirect: 'manual' } as never);
    assert.equal(answer.status, 302);
    assert.match(answer.headers.get('location') ?? '', /\/avatars\/[0-9a-f]{32}$/);
  }
  assert.equal((await forge.get('/avatar/missing/64')).status, 404);
});

test('a connection test for the folder of the user succeeds, and for another one fails', async (t) => {
  const { forge, person } = await ada(t);
  const as = { name: 'ada', password: person.password };
  const body =
    '<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/></d:prop></d:propfind>';
  const headers = { 'content-type': 'application/xml', depth: '0' };
  for (const path of ['/remote.php/webdav/', '/remote.php/dav/files/ada', '/remote.php/dav/files/ada/']) {
    const answer = await forge.send('PROPFIND', path, { as, body, headers });
    assert.equal(answer.status, 207, path);
    assert.match(answer.text, /<d:collection\/>/);
  }
  assert.equal((await forge.send('PROPFIND', '/remote.php/dav/files/root/', { as, headers })).status, 404);
  assert.equal((await forge.send('PROPFIND', '/remote.php/webdav', { headers })).status, 401);
});
