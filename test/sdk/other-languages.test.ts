import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startForge, type TestForge } from '../support/forge.ts';
import { ROOT } from '../support/process.ts';

const CLIENTS = join(ROOT, '.ci/clients');
const GO_CLIENT = join(CLIENTS, 'go/bin/client');
const PYTHON_PACKAGES = join(CLIENTS, 'python/site');
/** What each program does, in this order. */
const PARTS = ['files', 'commits', 'branches'];

const missing = (path: string) => (existsSync(path) ? false : '".ci/install-clients" installs the client');

/** Runs a program that uses a published client, and returns what it prints at the end. */
async function run(
  forge: TestForge,
  [command, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const ada = await forge.account('ada');
  const { stdout } = await promisify(execFile)(command, args, {
    env: { PATH: process.env.PATH ?? '', FORGE_URL: forge.url, FORGE_TOKEN: ada.token, ...environment },
    timeout: 50_000,
  });
  return stdout;
}

test('the Go client writes, reads, branches, tags and compares', { skip: missing(GO_CLIENT) }, async (t) => {
  const forge = await startForge(t);

  assert.equal(await run(forge, [GO_CLIENT, ...PARTS], { HOME: CLIENTS }), 'ok\n');
});

test('the Python client writes, reads, branches, tags, compares and plans', {
  skip: missing(PYTHON_PACKAGES),
}, async (t) => {
  const forge = await startForge(t);
  const program = join(CLIENTS, 'python/client.py');
  const environment = { PYTHONPATH: PYTHON_PACKAGES, PYTHONDONTWRITEBYTECODE: '1', LC_ALL: 'C.UTF-8' };

  assert.equal(await run(forge, ['python3', program, ...PARTS, 'plans'], environment), 'ok\n');
});
