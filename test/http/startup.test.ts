import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { bodyReaderOf } from '../../src/http/bodies/input.ts';
import { serializerOf } from '../../src/http/serializers.ts';
import { startForge } from '../support/forge/forge.ts';

// Runs alone: it checks what a process loads and remembers.

const require = createRequire(import.meta.url);

// This test must run first, because the next one loads the compiler.
test('a server starts without compiling the shapes of its routes', async (t) => {
  await startForge(t);

  assert.equal(require.cache[require.resolve('fast-json-stringify')], undefined);
});

test('the shape of every response and of every request body compiles', async (t) => {
  const forge = await startForge(t);
  const routes = forge.forge.running.app.statedRoutes;

  let compiled = 0;
  for (const { schema } of routes) {
    for (const shape of Object.values(schema.response ?? {})) {
      assert.equal(typeof serializerOf(shape as TSchema), 'function');
      compiled += 1;
    }
    if (schema.body !== undefined) assert.equal(typeof bodyReaderOf(schema.body as TSchema), 'function');
  }
  assert.ok(compiled > 100);
});
