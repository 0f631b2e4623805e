import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { answerOf, createClient, decide, type TestClient } from '../support/http/oauth.ts';
import { PageReader } from '../support/http/page-reader.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const CLIENT = join(ROOT, '.ci/clients/oauth/bin/builds');
const skip = existsSync(CLIENT) ? false : '".ci/install-clients" installs the client';
const HOOK_URL = 'https://ci.example.org/hook';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A private repository with files for builds, and an organization. */
async function stage(t: TestContext): Promise<{ forge: TestForge; ada: Person }> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'crew' });
  await ada.post('/api/v1/orgs/crew/repos', { name: 'mill', private: true });
  await ada.repository('loom', { private: true, auto_init: true });
  for (const path of ['build.yaml', '.builds/one.yaml', '.builds/two.yaml']) {
    const content = base64(`# ${path}\n`);
    const written = await ada.post(`/api/v1/repos/ada/loom/contents/${path}`, { content });
    assert.equal(written.status, 201, written.text);
  }
  return { forge, ada };
}

/** Runs the client up to its end, with a browser that grants its request. Returns what it has learned. */
async function learn(forge: TestForge, ada: Person, server: string): Promise<Record<string, unknown>> {
  const client = await createClient(ada, { redirect_uris: ['https://ci.example.org/authorize'] });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { timeout: 120_000, env: environmentOf(forge, client) };
  const child = execFile(CLIENT, [server], options, (error) => (error === null ? resolve() : reject(error)));
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value ?? '';
  const url = new URL(await next());
  const { code, state } = answerOf(await decide(reader, `${url.pathname}${url.search}`));
  assert.equal(state, 'the state');
  child.stdin?.end(`${code}\n`);
  const learned = await next();
  await promise;
  return JSON.parse(learned);
}

function environmentOf(forge: TestForge, { clientId, secret, redirectUri }: TestClient) {
  return {
    PATH: process.env.PATH ?? '',
    FORGE_URL: forge.url,
    CLIENT_ID: clientId,
    CLIENT_SECRET: secret,
    REDIRECT_URL: redirectUri,
    HOOK_URL,
  };
}

const EXPECTED = {
  login: 'ada',
  email: 'ada@example.org',
  repositories: ['ada/loom', 'crew/mill'],
  orgs: ['crew'],
  is_org_admin: true,
  file: '# build.yaml\n',
  folder: ['file .builds/one.yaml: # .builds/one.yaml\n', 'file .builds/two.yaml: # .builds/two.yaml\n'],
  missing: 404,
  hooks: 1,
  branches: ['main'],
  refreshed: true,
};

for (const [server, name, context] of [
  ['woodpecker', 'the calls of Woodpecker, with the published packages it uses,', 'ci/woodpecker/push/build'],
  ['drone', 'the calls of Drone, made without its packages,', 'continuous-integration/drone/push'],
] as const) {
  test(`${name} sign a user in, renew the token, and build a commit of a private repository`, {
    skip,
  }, async (t) => {
    const { forge, ada } = await stage(t);

    const { clone, ...learned } = await learn(forge, ada, server);

    assert.deepEqual(learned, EXPECTED);
    const folder = await temporaryFolder(t);
    await git(folder, ['clone', '--quiet', String(clone), 'copy']);
    const commit = await git(join(folder, 'copy'), ['rev-parse', 'HEAD']);
    const { body } = await ada.get(`/api/v1/repos/ada/loom/commits/${commit}/status`);
    assert.deepEqual([body.state, body.statuses[0].context], ['success', context]);
    const [hook] = (await ada.get('/api/v1/repos/ada/loom/hooks')).body;
    assert.ok(hook.config.url.startsWith(HOOK_URL));
  });
}
