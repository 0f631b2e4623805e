import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { answerOf, createClient, decide, REDIRECT_URI } from '../support/http/oauth.ts';
import { PageReader } from '../support/http/page-reader.ts';
import { ROOT } from '../support/process.ts';

const CLIENT = join(ROOT, '.ci/clients/oauth/bin/client');

test('programs in Go sign a user in with golang.org/x/oauth2 and go-oidc, and use the API', {
  skip: existsSync(CLIENT) ? false : '".ci/install-clients" installs the client',
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'crew' });
  const { clientId, secret } = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = execFile(CLIENT, [forge.url, clientId, secret, REDIRECT_URI], { timeout: 60_000 }, (error) =>
    error === null ? resolve() : reject(error),
  );
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value ?? '';
  const url = new URL(await next());
  const { code, state } = answerOf(await decide(reader, `${url.pathname}${url.search}`));
  assert.equal(state, 'the state');
  child.stdin?.end(`${code}\n`);
  const learned = JSON.parse(await next());
  await promise;

  assert.deepEqual(learned, {
    subject: String((await ada.get('/api/v1/user')).body.id),
    name: 'ada',
    email: 'ada@example.org',
    groups: ['crew', 'crew:Owners'],
    user_name: 'ada',
    api: 200,
    rotated: true,
  });
});
