import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf } from '../../api/access/probe.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { meantStatus } from '../../support/forge/ocs.ts';

/** What a browser adds to a form that a page of another site sends, and the form. */
const FOREIGN_FORM = {
  origin: 'https://evil.example',
  'sec-fetch-site': 'cross-site',
  'content-type': 'application/x-www-form-urlencoded',
};
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

function byPassword({ name, password }: Person) {
  return { as: { name, password } };
}

test('F3: a form on a page of another site creates no note', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  for (const prefix of ['/index.php/apps/notes/api', '/apps/notes/api']) {
    const sent = { ...byPassword(ada), headers: FOREIGN_FORM, body: 'title=Planted&content=by+another+site' };
    const answer = await forge.send('POST', `${prefix}/v1/notes`, sent);
    assert.equal(answer.status, 403);
  }

  assert.deepEqual((await ada.get('/apps/notes/api/v1/notes')).body, []);
});

test('F3: a form on a page of another site accepts no transfer', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await eve.repository('trap');
  assert.equal((await eve.post('/api/v1/repos/eve/trap/transfer', { new_owner: 'ada' })).status, 202);

  const sent = { ...byPassword(ada), headers: FOREIGN_FORM, body: '' };
  const answer = await forge.send('POST', '/api/v1/repos/eve/trap/transfer/accept', sent);

  assert.deepEqual(
    [answer.status, answer.body.message],
    [403, `a page of another site may change nothing with your password: open this server at ${forge.url}`],
  );
  assert.equal((await ada.get('/api/v1/repos/eve/trap')).body.owner.login, 'eve');
});

test('F3: every route that changes something rejects Basic credentials from another site, on each wire', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const changing = forge.forge.running.app.statedRoutes.filter(
    ({ method }) => !SAFE_METHODS.includes(method),
  );
  const wires = new Set<string>();
  for (const { method, url } of changing) {
    wires.add(url.split('/')[1] ?? '');
    const path = pathOf(url, { ':owner': 'ada', ':username': 'ada' });
    const answer = await forge.send(method, path, { ...byPassword(ada), headers: FOREIGN_FORM, body: '' });
    assert.equal(meantStatus(path, answer), 403, `${method} ${path}`);
  }
  assert.ok(changing.length > 50, `${changing.length} routes`);
  assert.deepEqual([...wires].sort(), [
    '-',
    ':owner',
    'admin',
    'api',
    'apps',
    'index.php',
    'login',
    'notifications',
    'ocs',
    'org',
    'remote.php',
    'repo',
    'user',
  ]);
});

async function statusOfChange(
  forge: TestForge,
  person: Person,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const sent = { ...byPassword(person), headers, json: { location: 'London' } };
  return (await forge.send('PATCH', '/api/v1/user/settings', sent)).status;
}

test('F3: the headers of a browser decide whether a change comes from another site', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://forge.example' });
  const ada = await forge.account('ada');
  const { host } = new URL(forge.url);
  const cases: readonly [status: number, headers: Readonly<Record<string, string>>][] = [
    [200, {}],
    [200, { 'sec-fetch-site': 'same-origin', origin: 'https://forge.example' }],
    [200, { 'sec-fetch-site': 'none' }],
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site', origin: 'https://pages.forge.example' }],
    [403, { 'sec-fetch-site': 'anything else' }],
    [200, { origin: 'https://forge.example' }],
    [200, { origin: 'https://forge.example:443' }],
    [403, { origin: 'http://forge.example' }],
    [403, { origin: `http://${host}` }],
    [403, { origin: 'http://localhost', host: 'localhost' }],
    [403, { origin: 'https://forge.example:8443' }],
    [403, { origin: 'https://forge.example.evil.example' }],
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'null' }],
    [403, { origin: '' }],
    [403, { origin: 'file://' }],
  ];
  for (const [status, headers] of cases) {
    assert.equal(await statusOfChange(forge, ada, headers), status, JSON.stringify(headers));
  }
});

test('F3: requests from another site that read, and those with a token in their header, pass', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const headers = FOREIGN_FORM;

  assert.equal((await forge.get('/api/v1/user', { ...byPassword(ada), headers })).status, 200);
  for (const scheme of ['token', 'Bearer']) {
    const authorization = `${scheme} ${ada.token}`;
    const sent = { headers: { origin: FOREIGN_FORM.origin, authorization }, json: { location: 'London' } };
    assert.equal((await forge.send('PATCH', '/api/v1/user/settings', sent)).status, 200);
  }
  const remembered = { as: { name: ada.name, password: ada.token }, headers, body: '' };
  assert.equal((await forge.send('PUT', '/api/v1/user/starred/ada/x', remembered)).status, 403);
});
