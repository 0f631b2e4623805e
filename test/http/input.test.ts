import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { afterTest } from '../support/after-test.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { authorizationOf } from '../support/http/http.ts';
import { severalAtOnce } from '../support/several-at-once.ts';
import { exchange } from './exchange.ts';

const ADMIN_PATHS = /^\/api\/v1\/admin\//;

test('G1: a body of any content type is validated or rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const authorization = authorizationOf({ token: ada.token });
  const types = [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'application/json ; x',
    'application/json\t; x',
    ' application/json',
    'application/json,text/plain',
    'application/jsonx',
    'application/vnd.api+json',
    'application/json+x',
    'text/json',
    'text/plain',
    'text/html',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary=application/json',
    '*/*',
    ';',
    '',
    undefined,
  ];
  const send = (type: string | undefined, body: string) =>
    exchange(forge.url, {
      method: 'POST',
      path: '/api/v1/user/repos',
      headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) },
      body,
    });
  for (const [index, type] of types.entries()) {
    const bad = await send(type, '{"name":["engine"],"private":"no"}');
    assert.ok([415, 422].includes(bad.status), `${type}: ${bad.status}`);
    const good = await send(type, `{"name":"engine-${index}","auto_init":false}`);
    assert.ok([201, 415].includes(good.status), `${type}: ${good.status} ${good.text}`);
    assert.equal(
      good.status === 201,
      bad.status === 422,
      `${type}: one body was parsed and the other was not`,
    );
  }
});

test('G1: a compressed body and a body that is not an object are rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const post = (body: string, headers: Record<string, string> = {}) =>
    ada.send('POST', '/api/v1/user/repos', {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  for (const encoding of ['gzip', 'br', 'deflate', 'x-gzip', 'zstd', 'identity, gzip'])
    assert.equal((await post('{"name":"engine"}', { 'content-encoding': encoding })).status, 415, encoding);
  for (const body of [
    '[]',
    '["name"]',
    '"name"',
    '1',
    'true',
    'null',
    '',
    '{',
    '{"name":"a"',
    '{"name":"a"}}',
    '{"name":"a",}',
    "{'name':'a'}",
    '\ufeff',
    '\0',
  ])
    assert.equal((await post(body)).status, 422, JSON.stringify(body));
  assert.equal((await post('{')).body.message, '[]: the body is not valid JSON');
  assert.equal((await post('{"name":"a"}', { 'content-encoding': 'identity' })).status, 201);
});

test('H9: a body that nests too deeply is rejected, on every wire', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
  const json = { 'content-type': 'application/json' };
  const lfs = { ...json, accept: 'application/vnd.git-lfs+json' };
  const message = `the body nests objects and arrays deeper than ${HTTP_LIMITS.jsonBodyDepthMax}`;
  const routes: readonly [
    method: string,
    path: string,
    body: string,
    status: number,
    headers: Record<string, string>,
  ][] = [
    ['POST', '/api/v1/user/repos', '"name":"mill"', 422, json],
    ['POST', '/api/v1/repos/ada/engine/contents', '"files":[]', 422, json],
    ['PATCH', '/api/v1/repos/ada/engine', '"description":"x"', 422, json],
    ['POST', '/ada/engine/info/lfs/objects/batch', '"operation":"download"', 400, lfs],
    ['POST', '/ada/engine/info/lfs/locks', '"path":"x"', 400, lfs],
  ];

  for (const [method, path, member, status, headers] of routes) {
    for (const depth of [HTTP_LIMITS.jsonBodyDepthMax, 2_000, 100_000]) {
      const body = `{${member},"unknown":${nested(depth)}}`;
      const answer = await ada.send(method, path, { body, headers });
      assert.deepEqual([answer.status, answer.body.message], [status, `[]: ${message}`], `${path} ${depth}`);
    }
    const body = `{${member},"unknown":${nested(HTTP_LIMITS.jsonBodyDepthMax - 2)}}`;
    const answer = await ada.send(method, path, { body, headers });
    assert.doesNotMatch(answer.text, /nests/, path);
    assert.notEqual(answer.status, 500);
  }
});

test('G2: keys with a special meaning in JavaScript are ordinary keys or rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const post = (body: string) =>
    ada.send('POST', '/api/v1/user/repos', { body, headers: { 'content-type': 'application/json' } });

  for (const body of [
    '{"name":"a","__proto__":{"private":true}}',
    '{"name":"a","constructor":{"prototype":{"private":true}}}',
    '{"__proto__":{"name":"a"}}',
  ]) {
    assert.equal((await post(body)).status, 422, body);
  }
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']) {
    const repository = await ada.repository(name, { auto_init: true, default_branch: name });
    assert.deepEqual([repository.name, repository.private, repository.default_branch], [name, false, name]);
    const file = `/api/v1/repos/ada/${name}/contents/${name}`;
    assert.equal((await ada.get(file)).status, 404);
    assert.equal((await ada.post(file, { content: '', message: name })).status, 201, name);
    assert.equal((await ada.get(`${file}?ref=${name}&${name}=${name}&__proto__=x`)).status, 200, name);
    assert.equal((await ada.get(`/api/v1/repos/ada/${name}/contents?ref=other-${name}`)).status, 404);
    assert.equal((await forge.get(`/api/v1/users/${name}`)).status, 404);
    assert.equal((await forge.get(`/api/swagger/${name}`)).status, 404);
    const odd = await exchange(forge.url, { path: '/api/v1/version', headers: { [name]: 'x' } });
    assert.equal(odd.status, 200);
  }
});

/** A valid value for each type in a body. */
const SAMPLES: Record<string, unknown> = {
  string: 'x',
  boolean: true,
  integer: 1,
  number: 1,
  array: [],
  object: {},
};
const WRONG: Record<string, unknown[]> = {
  string: [1, 0, true, false, [], ['x'], {}, { x: 1 }],
  boolean: ['true', 'false', '', 0, 1, [], [true], {}],
  integer: ['1', 1.5, true, [], [1], {}],
  number: ['1', true, [], {}],
  array: ['x', 1, true, {}, { 0: 'x', length: 1 }],
  object: ['x', 1, true, [], [{}]],
};
/** Texts that a layer may handle wrongly. */
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  'x'.repeat(300_000),
  '../../x',
  '-x',
  '{}',
  '\r\n',
  '%00',
];

interface Shape {
  readonly type?: string;
  readonly properties?: Record<string, Shape>;
  readonly items?: Shape;
  readonly required?: string[];
}

function sampleOf(shape: Shape): unknown {
  if (shape.type !== 'object') return SAMPLES[shape.type ?? 'string'];
  const required = (shape.required ?? []).map((key) => [key, sampleOf(shape.properties?.[key] ?? {})]);
  return Object.fromEntries(required);
}

/** Yields a body for each property of the shape and each of its `values`, otherwise valid. */
function* bodiesWith(shape: Shape, values: (of: Shape) => unknown[]): Generator<unknown> {
  const base = sampleOf(shape) as Record<string, unknown>;
  for (const [key, property] of Object.entries(shape.properties ?? {})) {
    for (const value of values(property)) yield { ...base, [key]: value };
    const inside = property.type === 'array' ? property.items : undefined;
    if (inside !== undefined)
      for (const value of [...values(inside), null]) yield { ...base, [key]: [value] };
    if (property.type === 'object')
      for (const value of bodiesWith(property, values)) yield { ...base, [key]: value };
  }
}

interface Operation {
  readonly requestBody?: { content?: Record<string, { schema?: Shape & { $ref?: string } }> };
}

async function operationsWithBodies(forge: TestForge) {
  const { body: document } = await forge.get('/api/v1/openapi.json');
  const found: { method: string; path: string; shape: Shape }[] = [];
  for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = operation.requestBody?.content?.['application/json']?.schema ?? {};
      const name = schema.$ref?.split('/').at(-1);
      const shape: Shape = name === undefined ? schema : document.components.schemas[name];
      if (shape.properties !== undefined) found.push({ method: method.toUpperCase(), path, shape });
    }
  }
  return found;
}

function filled(path: string): string {
  const values: Record<string, string> = {
    owner: 'root',
    repo: 'engine',
    filepath: 'a.txt',
    username: 'ben',
    collaborator: 'ben',
    token: '1',
  };
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? 'x');
}

async function forgeForBadInput(
  t: Parameters<typeof startForge>[0],
): Promise<{ forge: TestForge; send: Person['send'] }> {
  const forge = await startForge(t);
  await forge.account('ben');
  await forge.root.repository('engine', { auto_init: true });
  const as = { name: forge.root.name, password: forge.root.password };
  return { forge, send: (method, path, options) => forge.send(method, path, { as, ...options }) };
}

test('G3: a value of the wrong type is rejected, for each property of each body', async (t) => {
  const { forge, send } = await forgeForBadInput(t);
  const operations = await operationsWithBodies(forge);
  assert.ok(operations.length >= 8, `found only ${operations.length} operations with a body`);
  let sent = 0;
  for (const { method, path, shape } of operations) {
    const bodies = [...bodiesWith(shape, (of) => WRONG[of.type ?? ''] ?? []), [], [{}], 'x', 1, true];
    await severalAtOnce(bodies, async (body) => {
      const answer = await send(method, filled(path), { json: body });
      const about = `${method} ${path} ${JSON.stringify(body).slice(0, 100)}: ${answer.status}`;
      assert.ok(answer.status >= 400 && answer.status < 500, about);
      sent += 1;
    });
  }
  assert.ok(sent > 300, `${sent} bodies`);
});

test('G3: no text in a body causes a server fault or a warning', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  afterTest(t, () => process.off('warning', note));
  const { forge, send } = await forgeForBadInput(t);
  for (const { method, path, shape } of await operationsWithBodies(forge)) {
    if (ADMIN_PATHS.test(path) && method === 'DELETE') continue;
    const texts = (of: Shape) => (of.type === 'string' ? ODD_TEXTS : []);
    for (const body of bodiesWith(shape, texts)) {
      const answer = await send(method, filled(path), { json: body });
      if (answer.status >= 500)
        assert.fail(`${method} ${path} ${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
    }
  }
  assert.deepEqual(warnings, []);
});

test('G3: an id that is not a number, or that no row can have, returns 404', async (t) => {
  const { send } = await forgeForBadInput(t);
  for (const id of [
    '0',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x1',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '9'.repeat(40),
    'NaN',
    'true',
    '%20',
    '%00',
    '٣',
  ]) {
    const answer = await send('DELETE', `/api/v1/users/ben/tokens/${id}`);
    assert.equal(answer.status, 404, id);
  }
});

test('G3: the first value of a repeated query key applies, and other spellings of a list are other keys', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.post('/api/v1/repos/ada/engine/contents/only-here', { content: '', new_branch: 'dev' });
  const list = '/api/v1/repos/ada/engine/contents';
  const paths = async (query: string) => {
    const { status, body } = await forge.get(`${list}?${query}`);
    return status === 200 ? body.length : status;
  };

  assert.equal(await paths('ref=dev&ref=main'), 2);
  assert.equal(await paths('ref=main&ref=dev'), 1);
  assert.equal(await paths('ref[]=dev'), 1, 'ref[] is another key');
  assert.equal(await paths('ref[x]=dev'), 1);
  assert.equal(await paths('ref=%zz'), 404);
  assert.equal(await paths('ref=%00'), 404);
  assert.equal(await paths('&&==&ref=&'), 1);
});

test('C8: an encoded, doubled or relative separator reaches no other resource', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.repository('secret', { auto_init: true, private: true });
  const paths: [path: string, status: number][] = [
    ['/api/v1/repos/ada/engine', 200],
    ['/api/v1/repos/ada%2Fengine', 404],
    ['/api/v1/repos/ada/engine%2F', 404],
    ['/api/v1/repos/ada/engine/../secret', 404],
    ['/api/v1/repos/ada/engine%2F..%2Fsecret', 404],
    ['/api/v1/repos/ada/engine/%2e%2e/secret', 404],
    ['/api/v1/repos/ada//engine', 404],
    ['//api/v1/repos/ada/engine', 404],
    ['/api//v1/version', 404],
    ['/API/v1/version', 404],
    ['/api/v1/version/', 404],
    ['/api/v1/version;x=1', 404],
    ['/api/v1/repos/ada/engine;/contents', 404],
    ['/api/v1/repos/ada\\engine', 404],
    ['/api/v1/repos/ada%5Cengine', 404],
    ['/api/v1/repos/%00/engine', 404],
    ['/api/v1/repos/ada/engine%00', 404],
    ['/api/v1/repos/%zz/engine', 400],
    ['/api/v1/repos/ada/engine/contents/%zz', 400],
    ['/api/v1/repos/ada/engine/raw/README.md', 200],
    ['/api/v1/repos/ada/engine/raw/./README.md', 404],
    ['/api/v1/repos/ada/engine/raw/x/../README.md', 404],
    ['/api/v1/repos/ada/engine/raw/..%2F..%2Fsecret%2Fraw%2FREADME.md', 404],
    ['/api/v1/repos/ada/engine/raw/%252e%252e/README.md', 404],
    [`/api/v1/repos/ada/${'x'.repeat(20_000)}`, 404],
    [`/api/v1/repos/ada/engine/contents/${'x/'.repeat(5_000)}`, 404],
    ['/api/swagger/..%2F..%2Fpackage.json', 404],
    ['/api/swagger/%2e%2e', 404],
    ['http://localhost/api/v1/version', 200],
    ['http://localhost', 200],
    ['http://other.example/api/v1/version', 421],
    ['/?/api/v1/version', 200],
  ];
  for (const [path, status] of paths) {
    const answer = await exchange(forge.url, { path });
    assert.equal(answer.status, status, `${path.slice(0, 80)}: ${answer.text.slice(0, 200)}`);
  }
});

test('400: a path that cannot be decoded gets an error of its wire, and the server continues', async (t) => {
  const forge = await startForge(t);
  const paths: [path: string, type: string][] = [
    ['/%zz', 'text/plain; charset=utf-8'],
    ['/api/v1/%zz', 'application/json; charset=utf-8'],
    ['/index.php/apps/notes/api/v1/%zz', 'application/json; charset=utf-8'],
    ['/apps/notes/api/v1/%zz', 'application/json; charset=utf-8'],
    ['/ocs/v2.php/%zz', 'text/xml; charset=UTF-8'],
    ['/ocs/v2.php/%zz?format=json', 'text/xml; charset=UTF-8'],
    ['/ocs/%zz', 'text/xml; charset=UTF-8'],
  ];
  for (const [path, type] of paths) {
    const { status, headers } = await exchange(forge.url, { path });
    assert.deepEqual([status, headers['content-type']], [400, type], path);
  }
});

test('a value that fits no alternative of its field gets a rule with all alternatives', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const engine = '/api/v1/repos/ada/engine';
  await ada.post(`${engine}/issues`, { title: 'One' });
  const date = 'must be an RFC 3339 date and time';

  for (const [method, path, body, message] of [
    ['POST', `${engine}/issues/1/deadline`, { due_date: 'tomorrow' }, `[DueDate]: ${date}, or null`],
    ['POST', `${engine}/issues/1/deadline`, { due_date: 7 }, `[DueDate]: ${date}, or null`],
    [
      'POST',
      `${engine}/issues/1/deadline`,
      { due_date: '2026-02-30T00:00:00Z' },
      `[DueDate]: ${date}, or null`,
    ],
    ['PATCH', `${engine}/issues/1`, { due_date: 'tomorrow' }, `[DueDate]: ${date}`],
    ['POST', `${engine}/git/trees`, { tree: [], base_tree: 7 }, '[BaseTree]: must be string, or null'],
    ['POST', `${engine}/git/trees`, { tree: [{ path: 'a', sha: 7 }] }, '[Tree.SHA]: must be string, or null'],
    ['POST', `${engine}/issues/1/labels`, { labels: [true] }, '[Labels]: must be integer or string'],
    ['POST', `${engine}/milestones`, { title: 'a', state: 'x' }, '[State]: must be one of open, closed'],
    [
      'POST',
      '/api/v1/users/ada/tokens',
      { name: 'a', repositories: [7] },
      '[Repositories]: must be string or object',
    ],
    ['POST', '/api/v1/users/ada/tokens', { name: 'a', repositories: [{ owner: 'ada' }] }, '[Name]: Required'],
    [
      'POST',
      '/api/v1/users/ada/tokens',
      { name: 'a', repositories: [{ owner: 'ada', name: 7 }] },
      '[Repositories.Name]: must be string',
    ],
  ] as const) {
    const { status, body: answer } = await ada.send(method, path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    assert.deepEqual([status, answer.message], [422, message], JSON.stringify(body));
  }
});
