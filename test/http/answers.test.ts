import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../support/forge/forge.ts';
import type { Answer } from '../support/http/http.ts';
import { collectLog } from '../support/log-lines.ts';
import { exchange } from './exchange.ts';

const NOT_FOUND = "The target couldn't be found.";

function filled(url: string): string {
  const values: Record<string, string> = {
    ':owner': 'root',
    ':repo': 'engine',
    ':username': 'root',
    ':collaborator': 'ben',
    ':file': 'start.js',
    '*': 'README.md',
  };
  return url.replaceAll(/\(\^[^)]*\)/g, '').replaceAll(/:\w+|\*/g, (name) => values[name] ?? '1');
}

async function forgeWithEngine(
  t: Parameters<typeof startForge>[0],
  settings: Readonly<Record<string, string>> = {},
): Promise<TestForge> {
  const forge = await startForge(t, { settings });
  await forge.account('ben');
  await forge.root.repository('engine', { auto_init: true });
  await forge.root.put('/api/v1/repos/root/engine/collaborators/ben', { permission: 'read' });
  return forge;
}

test('every API error has a message and the URL of the API description', async (t) => {
  const forge = await forgeWithEngine(t);
  const ben = await forge.account('cleo');
  const url = `${forge.url}/api/swagger`;
  const cases: [answer: Answer, status: number, body: Record<string, unknown>][] = [
    [await forge.get('/api/v1/user'), 401, { message: 'token is required', url }],
    [
      await forge.get('/api/v1/version', { headers: { authorization: 'token nonsense' } }),
      401,
      { message: 'invalid user name, password or token', url },
    ],
    [
      await ben.delete('/api/v1/repos/root/engine'),
      403,
      { message: 'only the owner of a repository may delete it', url },
    ],
    [
      await ben.post('/api/v1/admin/users', {}),
      403,
      { message: 'only a site administrator may do this', url },
    ],
    [
      await ben.get('/api/v1/user', { headers: { sudo: 'root' } }),
      403,
      { message: 'only a site administrator may act as another account' },
    ],
    [
      await ben.get('/api/v1/user', { as: { token: await ben.tokenFor(['read:issue']) } }),
      403,
      { message: 'token does not have at least one of required scope(s): [read:user]', url },
    ],
    [await forge.get('/api/v1/repos/root/nope'), 404, { message: NOT_FOUND, url, errors: [] }],
    [await forge.get('/api/v1/users/nope'), 404, { message: NOT_FOUND, url, errors: [] }],
    [
      await forge.root.post('/api/v1/user/repos', { name: 'ENGINE' }),
      409,
      { message: 'The repository with the same name already exists.', url },
    ],
    [
      await ben.send('POST', '/api/v1/user/repos', {
        body: 'x'.repeat(1024 * 1024 + 1),
        headers: { 'content-type': 'application/json' },
      }),
      413,
      { message: 'the request body is too large', url },
    ],
    [
      await ben.send('POST', '/api/v1/user/repos', { body: 'a=1', headers: { 'content-type': 'text/csv' } }),
      415,
      { message: 'send the body as application/json', url },
    ],
    [await ben.post('/api/v1/user/repos', {}), 422, { message: '[Name]: Required', url }],
  ];
  for (const [answer, status, body] of cases) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers.get('content-type'), 'application/json;charset=utf-8');
    assert.deepEqual(answer.body, body);
    assert.ok(answer.text.endsWith('}\n'));
    assert.equal(answer.headers.get('www-authenticate'), null, 'a browser must not prompt for a password');
  }
});

test('an unknown path below the API returns an error of the API', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const narrow = { token: await ada.tokenFor(['read:issue']) };
  const url = `${forge.url}/api/swagger`;
  for (const [method, path] of [
    ['GET', '/api/v1'],
    ['GET', '/api/v1/'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/nothing?go-get=1'],
    ['GET', '/api/v1/src/branch/main'],
    ['POST', '/api/v1/repos/ada/engine/nothing'],
    ['DELETE', '/api/v1/user/nothing/at/all'],
  ] as const) {
    for (const options of [{}, { as: narrow }]) {
      const answer = await forge.send(method, path, options);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(answer.body, { message: NOT_FOUND, url, errors: [] });
      assert.equal(answer.headers.get('content-type'), 'application/json;charset=utf-8');
      assert.match(answer.headers.get('cache-control') ?? '', /must-revalidate/);
    }
  }
});

test('a path of the API rejects methods that it does not have, and lists those that it has', async (t) => {
  const forge = await startForge(t);
  for (const [method, path, allow] of [
    ['PATCH', '/api/v1/version', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/version', 'GET, HEAD'],
    ['DELETE', '/api/v1/user', 'GET, HEAD'],
    ['GET', '/api/v1/org/guild/repos', 'POST'],
    ['POST', '/api/v1/repos/ada/engine/raw/docs/plan.md', 'GET, HEAD'],
  ] as const) {
    const answer = await forge.send(method, path);
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], path);
    const message = `this path only allows ${allow}`;
    assert.deepEqual(answer.body, { message, url: `${forge.url}/api/swagger` });
  }
});

test('an unknown path outside the API returns plain text', async (t) => {
  const forge = await startForge(t);
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/ada/nothing/at/all'],
    ['POST', '/ada/nothing'],
    ['GET', '/api/v2/version'],
  ] as const) {
    const answer = await forge.send(method, path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.text, '404 page not found\n');
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  }
});

test('every response has its own request id and headers that stop browsers from guessing types', async (t) => {
  const forge = await startForge(t);
  const ids = new Set<string>();
  const paths = [
    '/',
    '/api/v1/version',
    '/api/v1/nothing',
    '/api/v1/user',
    '/metrics',
    '/ada/x.git/info/refs',
  ];
  for (const path of paths) {
    const { headers } = await forge.get(path);
    ids.add(headers.get('x-request-id') ?? '');
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN', path);
  }
  assert.equal(ids.size, paths.length);
  assert.ok(!ids.has(''));
});

test('API responses require revalidation, and responses for monitoring are never stored', async (t) => {
  const forge = await forgeWithEngine(t);
  const api = 'max-age=0, private, must-revalidate, no-transform';
  const cases: [path: string, expected: string][] = [
    ['/api/v1/version', api],
    ['/api/v1/user', api],
    ['/api/v1/repos/root/engine/contents', api],
    ['/api/v1/repos/root/nope', api],
    ['/api/v1/repos/root/engine/raw/README.md', 'private, max-age=300'],
    ['/api/healthz', 'no-store'],
    ['/metrics', 'no-store'],
    ['/Root/engine.git/info/refs?service=git-upload-pack', 'no-cache, max-age=0, must-revalidate'],
    ['/api/swagger/swagger-ui.css', 'public, max-age=86400'],
  ];
  for (const [path, expected] of cases)
    assert.equal((await forge.get(path)).headers.get('cache-control'), expected, path);
});

test('HEAD returns the status and headers of every GET route, without a body', async (t) => {
  const forge = await forgeWithEngine(t);
  const routes = forge.forge.running.app.statedRoutes.filter(({ method }) => method === 'GET');
  assert.ok(routes.length > 15, `${routes.length} routes`);
  for (const { url } of routes) {
    const path = url.endsWith('/info/refs') ? `${filled(url)}?service=git-upload-pack` : filled(url);
    const [get, head] = [await forge.root.get(path), await forge.root.send('HEAD', path)];
    assert.equal(head.status, get.status, path);
    assert.equal(head.text, '', path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
    assert.equal(head.headers.get('etag'), get.headers.get('etag'), path);
    const lengths = [get, head].map(({ headers }) => headers.get('content-length'));
    // A stream may have no length, each request lengthens the metrics, and pages show what jobs have just measured.
    const isPage = get.headers.get('content-type')?.startsWith('text/html') === true;
    if (!lengths.includes(null) && url !== '/metrics' && !isPage) assert.equal(lengths[1], lengths[0], path);
  }
  const { text } = await forge.root.get('/metrics');
  assert.match(
    text,
    /quire_http_requests_total\{method="HEAD",route="\/api\/v1\/version",status="200"\} 1$/m,
  );
});

test('F5: a host header never appears in a response', async (t) => {
  const evil = 'evil.example';
  const listed = 'listed.example';
  const forge = await forgeWithEngine(t, { allowedHosts: listed });
  const headers = {
    'x-forwarded-host': evil,
    'x-forwarded-proto': 'https',
    'x-forwarded-server': evil,
    'x-original-host': evil,
    'x-host': evil,
    forwarded: `host=${evil};proto=https`,
    'x-forwarded-prefix': `/${evil}`,
    authorization: `token ${forge.root.token}`,
  };
  await forge.root.repository('second');
  const paths = [
    '/',
    '/api/v1/user',
    '/api/v1/user/repos?limit=1',
    `http://${evil}/api/v1/user/repos?limit=1`,
    '/api/v1/repos/root/engine',
    '/api/v1/repos/root/engine/contents',
    '/api/v1/repos/root/nope',
    '/api/swagger',
    '/swagger.v1.json',
    '/Root/engine.git/info/refs?service=git-upload-pack',
  ];
  for (const path of paths) {
    for (const host of [evil, 'localhost', listed]) {
      const answer = await exchange(forge.url, { path, headers: { ...headers, host } });
      const isForeign = host === evil || path.startsWith('http');
      assert.ok((isForeign ? [421] : [200, 404]).includes(answer.status), `${path}: ${answer.status}`);
      for (const name of [evil, listed]) {
        assert.ok(!answer.text.includes(name), `the body of ${path}`);
        assert.ok(!JSON.stringify(answer.headers).includes(name), `the headers of ${path}`);
      }
    }
  }
});

test('a server with too many open files is busy, and logs why', async (t) => {
  const forge = await startForge(t, { logLevel: 'warn' });
  forge.stopAfterTest();
  await forge.root.repository('engine');
  const { running } = forge.forge;
  const lines = collectLog(running.app);
  const { reading } = running.services;
  reading.locate = async () => {
    throw Object.assign(new Error('open'), { code: 'EMFILE' });
  };

  const { status, headers, body } = await forge.root.get('/api/v1/repos/root/engine/contents');

  const message = 'the server has too many files or processes open: try again later';
  assert.deepEqual([status, headers.get('retry-after'), body.message], [503, '1', message]);
  assert.match(lines.join(), /a part of the server does not respond/);
});
