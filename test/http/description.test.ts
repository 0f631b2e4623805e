import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') yield String(member);
    else yield* referencesIn(member);
  }
}

function lookUp(document: unknown, reference: string): unknown {
  assert.match(reference, /^#\//);
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[decodeURIComponent(key)],
      document,
    );
}

test('the API description defines every shape that it references', async (t) => {
  const forge = await startForge(t);
  const { status, body: document } = await forge.get('/api/v1/openapi.json');

  assert.equal(status, 200);
  assert.match(document.openapi, /^3\.1\./);
  const references = [...new Set(referencesIn(document))];
  assert.ok(references.length > 3);
  for (const reference of references) assert.equal(typeof lookUp(document, reference), 'object', reference);
  const names = Object.keys(document.components.schemas);
  for (const name of ['Repository', 'User', 'ContentsResponse', 'FileResponse', 'AccessToken'])
    assert.ok(names.includes(name), `no shape has the name ${name}`);
  assert.deepEqual(
    names.filter((name) => name.startsWith('def-')),
    [],
  );
});

test('every API route is described, with its summary, action and parameters', async (t) => {
  const forge = await startForge(t);
  const { body: document } = await forge.get('/api/v1/openapi.json');
  const routes = forge.forge.running.app.statedRoutes.filter(
    ({ method, url, schema }) => url.startsWith('/api/v1/') && method !== 'HEAD' && schema.hide !== true,
  );
  assert.ok(routes.length > 20);
  for (const { method, url, action } of routes) {
    const named = url.replaceAll(/:(\w+)(?:\(\^[^)]*\))?/g, '{$1}');
    // The document names the rest of a path.
    const begins = (each: string) =>
      each.startsWith(named.slice(0, -1)) && /^\{\w+\}$/.test(each.slice(named.length - 1));
    const path = named.endsWith('/*') ? (Object.keys(document.paths).find(begins) ?? named) : named;
    const operation = document.paths[path]?.[method.toLowerCase()];
    assert.ok(operation !== undefined, `${method} ${path} is not described`);
    assert.equal(operation['x-action'], action.name);
    for (const part of ['summary', 'description', 'operationId'])
      assert.ok((operation[part] ?? '') !== '', `${method} ${path} has no ${part}`);
    const expected = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]).sort();
    const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
    assert.deepEqual(
      parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name)
        .sort(),
      expected,
      path,
    );
  }
  const described = Object.keys(document.paths);
  assert.deepEqual(
    described.filter((path) => !path.startsWith('/api/v1/')),
    [],
  );
});

test('the page of the API description loads everything from this server', async (t) => {
  const forge = await startForge(t);
  const page = await forge.get('/api/swagger');

  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/);
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  assert.equal(loaded.length, 3);
  for (const path of loaded) {
    const file = await forge.get(path);
    assert.equal(file.status, 200, path);
    assert.match(file.headers.get('content-type') ?? '', /^text\/(?:css|javascript); charset=utf-8$/);
    assert.ok(file.text.length > 10);
  }
  assert.doesNotMatch(page.text, /<script>/, 'the content security policy allows no inline script');
  for (const path of ['/api/swagger/nope.js', '/api/swagger/index.html', '/api/swagger/package.json'])
    assert.equal((await forge.get(path)).status, 404);
});

test('the first page and the help link to the next steps', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://forge.example' });
  for (const page of ['/', '/-/help']) {
    const { status, headers, text } = await forge.get(page);

    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.ok(text.includes('git clone https://forge.example/OWNER/REPOSITORY.git'));
    for (const [, path = ''] of text.matchAll(/href="([^"]+)"/g))
      assert.equal((await forge.get(path)).status, 200, path);
  }
});

test('the server reports its version, limits, health and metrics', async (t) => {
  const forge = await startForge(t, { fresh: true });

  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  assert.equal((await forge.get('/api/v1/version')).body.version, `1.25.0+quire-${version}`);
  assert.deepEqual((await forge.get('/api/v1/settings/api')).body, {
    max_response_items: 50,
    default_paging_num: 30,
    default_git_trees_per_page: 1000,
    default_max_blob_size: 10485760,
  });
  const health = await forge.get('/api/healthz');
  assert.equal(health.status, 200);
  assert.equal(health.body.status, 'pass');
  const metrics = await forge.get('/metrics');
  assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(
    metrics.text,
    /^quire_http_requests_total\{method="GET",route="\/api\/v1\/version",status="200"\} 1$/m,
  );
});

test('the API description names the status of routes that return 204', async (t) => {
  const forge = await startForge(t);
  const { paths } = (await forge.get('/api/v1/openapi.json')).body;
  const statuses = (method: string, path: string) => Object.keys(paths[`/api/v1${path}`][method].responses);

  assert.deepEqual(statuses('delete', '/repos/{owner}/{repo}'), ['204', '401', '403', '404', '503']);
  assert.deepEqual(paths['/api/v1/repos/{owner}/{repo}'].delete.responses['204'].content, undefined);
  const successes = (method: string, path: string) =>
    statuses(method, path).filter((status) => status.startsWith('2'));
  assert.deepEqual(successes('put', '/repos/{owner}/{repo}/topics'), ['204']);
  assert.deepEqual(successes('put', '/teams/{id}/members/{username}'), ['204']);
  assert.deepEqual(successes('delete', '/user/starred/{owner}/{repo}'), ['204']);
  assert.deepEqual(successes('patch', '/repos/{owner}/{repo}'), ['200']);
});
