import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from 'gitea-js';
import { toSwagger2 } from '../../../src/api/document/swagger2.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { formOf } from '../../tracker/issues/attachments/attachment-files.ts';
import { pathOf } from '../access/probe.ts';
import { OWN_OPERATIONS } from '../access/probes.ts';

// Runs once: no outcome depends on the database.

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { description: string; schema?: object; content?: object }>>;
  readonly parameters?: readonly { readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Listed extends Operation {
  readonly method: string;
  readonly url: string;
}

function operationsIn(paths: Paths): Listed[] {
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, url })),
  );
}

async function documents(forge: TestForge) {
  const openApi = (await forge.get('/api/v1/openapi.json')).body;
  const swagger = (await forge.get('/swagger.v1.json')).body;
  return { openApi, swagger };
}

test('the API description is valid OpenAPI 3.1 and valid Swagger 2.0', async (t) => {
  const forge = await startForge(t);
  const { openApi, swagger } = await documents(forge);
  const { Validator } = await import('@seriousme/openapi-schema-validator');

  for (const [document, version] of [
    [openApi, '3.1'],
    [swagger, '2.0'],
  ]) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    assert.equal(validator.version, version);
  }
});

test('both formats describe the same operations, and Swagger 2.0 has only keywords that it knows', async (t) => {
  const forge = await startForge(t);
  const { openApi, swagger } = await documents(forge);
  const [newer, older] = [openApi.paths, swagger.paths].map(operationsIn);

  assert.equal(swagger.basePath, '/api/v1');
  const named = (operations: readonly Listed[] = []) =>
    operations.map(
      ({ operationId, method, url }) => `${operationId} ${method} ${url.replace('/api/v1', '')}`,
    );
  assert.deepEqual(named(older), named(newer));
  assert.doesNotMatch(JSON.stringify(swagger), /"(?:anyOf|oneOf|const|requestBody)":|"null"|components/);
});

test('operations have the names that clients of this API know, and each name once', async (t) => {
  const forge = await startForge(t);
  const { openApi } = await documents(forge);
  const client = new Api<unknown>() as unknown as Record<string, object>;
  const known = new Set(
    Object.values(client)
      .flatMap((group) => Object.keys(group ?? {}))
      .map((id) => id.toLowerCase()),
  );
  const ids = operationsIn(openApi.paths).map(({ operationId }) => operationId);

  assert.equal(new Set(ids).size, ids.length);
  const unknown = ids.filter((id) => !known.has(id.toLowerCase()));
  assert.deepEqual(
    unknown.toSorted(),
    OWN_OPERATIONS.toSorted(),
    'list operations that the client lacks as ownOperations in test/<wing>/<feature>/probes.ts',
  );
});

test('every operation describes itself, its parameters, its success and its errors', async (t) => {
  const forge = await startForge(t);
  const { openApi } = await documents(forge);

  for (const { operationId, description, responses, parameters = [] } of operationsIn(openApi.paths)) {
    assert.ok((description ?? '').length > 10, operationId);
    for (const parameter of parameters) assert.ok((parameter.description ?? '') !== '', operationId);
    const statuses = Object.keys(responses).map(Number);
    assert.ok(statuses.some((status) => status < 300));
    assert.ok(statuses.includes(401), `${operationId} has no error`);
    for (const [status, { description: about, content }] of Object.entries(responses)) {
      assert.ok(about !== '' && about !== 'Default Response', operationId);
      // A range that begins after the end has its explanation in a header.
      if (Number(status) >= 400 && status !== '416')
        assert.ok(content !== undefined, `${operationId} ${status}`);
    }
  }
});

test('an operation describes the failures that are its own, and that a blocked account may do nothing', async (t) => {
  const forge = await startForge(t);
  const { openApi } = await documents(forge);
  const statuses = new Map(
    operationsIn(openApi.paths).map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
  );

  for (const [operation, status] of Object.entries({
    acceptRepoTransfer: '422',
    adminCreateUser: '400',
    adminDeleteUser: '422',
    createCurrentUserRepo: '400',
    getVersion: '403',
    orgAddTeamMember: '422',
    orgDelete: '422',
    orgDeleteMember: '422',
    orgDeleteTeam: '422',
    repoAddTeam: '422',
    repoAddTopic: '422',
    repoDeleteTeam: '422',
    repoMergeUpstream: '423',
    repoSearch: '422',
    userChangePassword: '409',
    userCurrentListRepos: '422',
    userCurrentPutStar: '422',
    userDeleteEmail: '404',
  }))
    assert.ok(statuses.get(operation)?.includes(status), `${operation} ${status}`);
});

test('both formats say which contents may be null, which lists are needed, and that a PUT may create a file', async (t) => {
  const forge = await startForge(t);
  const { openApi, swagger } = await documents(forge);

  for (const name of ['GitBlob', 'ContentsResponse', 'ExtendedContentsResponse'])
    for (const field of ['content', 'encoding']) {
      const { anyOf } = openApi.components.schemas[name].properties[field];
      const types = anyOf.map(({ type }: { type: string }) => type);
      assert.deepEqual(types, ['string', 'null'], `${name} ${field}`);
      const { type, 'x-nullable': isNullable } = swagger.definitions[name].properties[field];
      assert.deepEqual([type, isNullable], ['string', true], `${name} ${field}`);
    }
  for (const [name, required] of Object.entries({
    IssueLabelsOption: ['labels'],
    RepoTopicOptions: ['topics'],
    ReplaceFlagsOption: ['flags'],
    UpdateFileOptions: ['content'],
    ApplyDiffPatchFileOptions: ['content'],
  })) {
    assert.deepEqual(openApi.components.schemas[name].required, required, name);
    assert.deepEqual(swagger.definitions[name].required, required, name);
  }
  for (const { operationId, responses, parameters = [] } of [openApi, swagger].flatMap(({ paths }) =>
    operationsIn(paths),
  )) {
    const names = (parameters as readonly { name?: string }[]).map(({ name }) => name);
    if (operationId === 'repoUpdateFile') assert.ok('200' in responses && '201' in responses);
    if (operationId === 'repoGetAllCommits') assert.ok(names.includes('since') && names.includes('until'));
  }
});

test('an operation needs credentials in the description exactly if it needs them on the wire', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const { openApi } = await documents(forge);
  const values = { ':owner': 'ada', ':org': 'guild', ':username': 'ada', ':id': '1' };

  for (const { method, url, operationId, security, requestBody } of operationsIn(openApi.paths)) {
    const route = url.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'filepath' ? '*' : `:${name}`));
    const sent = requestBody?.content['multipart/form-data'] ? await formOf('') : { json: {} };
    const { status } = await forge.send(method.toUpperCase(), pathOf(route, values), sent);
    const needed = security.length > 0 && security.every((each) => Object.keys(each).length > 0);
    // A body is checked before the rights on a repository.
    if (status === 422) continue;
    assert.equal(status === 401, needed, `${operationId}: ${status}`);
  }
});

test('shapes lose what Swagger 2.0 cannot express, and nothing else', () => {
  const cases: [schema: object, converted: object][] = [
    [
      { type: 'string', maxLength: 3 },
      { type: 'string', maxLength: 3 },
    ],
    [{ $ref: '#/components/schemas/User' }, { $ref: '#/definitions/User' }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { 'x-nullable': true, type: 'string' }],
    [
      { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/User' }], description: 'who' },
      { 'x-nullable': true, allOf: [{ $ref: '#/definitions/User' }], description: 'who' },
    ],
    [{ type: 'null' }, { 'x-nullable': true }],
    [
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      },
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      { anyOf: [{ $ref: '#/components/schemas/User' }, { type: 'array', items: {} }] },
      { $ref: '#/definitions/User' },
    ],
    [
      { type: 'object', additionalProperties: { type: 'array', items: { anyOf: [{ type: 'integer' }] } } },
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } },
    ],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'null' } }, additionalProperties: false },
      {
        type: 'object',
        required: ['a'],
        properties: { a: { 'x-nullable': true } },
        additionalProperties: false,
      },
    ],
  ];
  for (const [schema, converted] of cases) {
    const info = { title: 'T', version: '1', description: '' };
    const document = {
      openapi: '3.1.0',
      info,
      paths: {},
      components: { schemas: { S: schema as Record<string, never> } },
    };
    const { definitions } = toSwagger2(document) as { definitions: { S: object } };
    assert.deepEqual(definitions.S, converted);
  }
});

/** The operations of the page, as far as its script uses them: an immutable map with an immutable list. */
function propsOf(security: readonly object[]) {
  const list = {
    some: (test: (each: { isEmpty(): boolean }) => boolean) =>
      security.some((each) => test({ isEmpty: () => Object.keys(each).length === 0 })),
    clear: () => [],
  };
  return { operationProps: { get: () => list, set: (_: string, value: unknown) => ({ get: () => value }) } };
}

test('the page of the API shows a lock only at operations that need credentials', async (t) => {
  const forge = await startForge(t);
  const { text } = await forge.get('/api/swagger/start.js');
  let options:
    | { url: string; plugins: readonly (() => { wrapComponents: Record<string, unknown> })[] }
    | undefined;
  new Function('SwaggerUIBundle', text)((given: typeof options) => {
    options = given;
  });

  assert.equal(options?.url, '/api/v1/openapi.json');
  const wrap = options?.plugins[0]?.().wrapComponents.OperationSummary as (
    original: unknown,
    system: unknown,
  ) => (props: unknown) => { operationProps: { get(key: string): unknown } };
  const summary = wrap('summary', { React: { createElement: (_: unknown, props: unknown) => props } });
  assert.deepEqual(summary(propsOf([{}, { basic: [] }])).operationProps.get('security'), []);
  const locked = propsOf([{ basic: [] }]);
  assert.equal(summary(locked).operationProps, locked.operationProps);
});

test('the description says which bodies may be a file, in a form or as they are', async (t) => {
  const forge = await startForge(t);
  const { paths } = (await forge.get('/api/v1/openapi.json')).body;
  const bodyOf = (path: string) => paths[`/api/v1/repos/{owner}/{repo}${path}`].post.requestBody;
  const asset = bodyOf('/releases/{id}/assets');
  assert.deepEqual(Object.keys(asset.content), ['multipart/form-data', 'application/octet-stream']);
  assert.equal(asset.content['application/octet-stream'].schema.format, 'binary');
  assert.deepEqual(Object.keys(asset.content['multipart/form-data'].schema.properties), [
    'attachment',
    'external_url',
  ]);
  const attachment = bodyOf('/issues/{number}/assets');
  assert.deepEqual(Object.keys(attachment.content), ['multipart/form-data']);
  assert.deepEqual(attachment.content['multipart/form-data'].schema.required, ['attachment']);
  const swagger = (await forge.get('/swagger.v1.json')).body.paths;
  const { consumes } = swagger['/repos/{owner}/{repo}/releases/{id}/assets'].post;
  assert.deepEqual(consumes, ['multipart/form-data', 'application/octet-stream']);
});

test('the description of a change of a wiki has the level that it needs by default, and by the settings', async (t) => {
  const forge = await startForge(t);
  const { paths } = (await forge.get('/api/v1/openapi.json')).body;
  const { description } = paths['/api/v1/repos/{owner}/{repo}/wiki/new'].post;
  assert.match(
    description,
    /You need level write on the repository \(wiki\), or read if its settings permit that and must be signed in\./,
  );
});
