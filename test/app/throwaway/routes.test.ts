import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { request } from '../../support/http/http.ts';
import { startChild } from './child.ts';

// Runs once: no outcome depends on the database.

const ROUTES = [
  ['POST', '/-/test/reset'],
  ['GET', '/-/test/clock'],
  ['POST', '/-/test/clock'],
] as const;

test('a server with data has no test routes', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const [method, path] of ROUTES) {
    const json = { advance: 1 };
    const options = { as: { token: forge.root.token }, ...(method === 'POST' ? { json } : {}) };
    assert.equal((await forge.send(method, path, options)).status, 404, path);
  }
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 200);
});

test('test routes need no token, and say which methods and routes there are', async (t) => {
  const { url } = await startChild(t, []);
  assert.equal((await request('POST', `${url}/-/test/reset`)).status, 204);
  assert.equal((await request('GET', `${url}/-/test/clock`)).status, 200);
  const wrong = await request('GET', `${url}/-/test/reset`);
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  const put = await request('PUT', `${url}/-/test/clock`, { json: {} });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST']);
  const missing = await request('POST', `${url}/-/test/rest`);
  assert.equal(missing.status, 404);
  assert.match(missing.body.message, /no such test route: there are POST \/-\/test\/reset/);
});

test('test routes answer only at the names of this machine', async (t) => {
  const { url } = await startChild(t, []);
  const { promise, resolve } = Promise.withResolvers<number>();
  const { request: send } = await import('node:http');
  send(`${url}/-/test/reset`, { method: 'POST', headers: { host: 'evil.example' } }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  }).end();
  assert.equal(await promise, 421);
});

test('a page of another site cannot use the test routes', async (t) => {
  const { url } = await startChild(t, []);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])
    assert.equal(
      (await request('POST', `${url}/-/test/reset`, { headers })).status,
      421,
      JSON.stringify(headers),
    );
  assert.equal((await request('POST', `${url}/-/test/reset`, { headers: { origin: url } })).status, 204);
});
