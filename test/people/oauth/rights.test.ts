import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batch, follow, objectOf } from '../../hosting/lfs/objects.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import type { SendOptions } from '../../support/http/http.ts';
import {
  answerOf,
  createClient,
  openRequest,
  requestPath,
  sendForm,
  tokensFor,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

/** The forms in which clients send a token. */
function formsOf(token: string): readonly SendOptions[] {
  return [
    { headers: { authorization: `Bearer ${token}` } },
    { headers: { authorization: `token ${token}` } },
    { as: { name: 'oauth2', password: token } },
    { as: { name: token, password: 'x-oauth-basic' } },
    { as: { name: token, password: '' } },
  ];
}

test('A1: an OAuth2 token has the same rights in every form, on the API, git and git-lfs', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { private: true });
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const cases = [
    { scope: '', read: true, write: true },
    { scope: 'write:repository', read: true, write: true },
    { scope: 'read:repository', read: true, write: false },
    { scope: 'write:issue', read: false, write: false },
    { scope: 'openid profile email groups', read: false, write: false },
    { scope: 'write:repository public-only', read: false, write: false },
    { scope: 'all notes-only', read: false, write: false },
  ];
  const isOpen = (status: number) => status < 300;
  for (const { scope, read, write } of cases) {
    const { access } = await tokensFor(forge, client, { reader, scope });
    for (const form of formsOf(access)) {
      const about = `${scope}: ${JSON.stringify(form)}`;
      const seen = await forge.get('/api/v1/repos/ada/loom', form);
      assert.equal(isOpen(seen.status), read, about);
      const changed = await forge.send('PATCH', '/api/v1/repos/ada/loom', { json: {}, ...form });
      assert.equal(isOpen(changed.status), write, about);
      for (const [service, may] of [
        ['upload', read],
        ['receive', write],
      ] as const) {
        const advertised = await forge.get(`/ada/loom.git/info/refs?service=git-${service}-pack`, form);
        assert.equal(isOpen(advertised.status), may, `${service} ${about}`);
      }
      for (const [operation, may] of [
        ['download', read],
        ['upload', write],
      ] as const) {
        const answer = await batch(forge, 'ada/loom', operation, [objectOf('wool')], form);
        assert.equal(isOpen(answer.status), may, `${operation} ${about}`);
      }
    }
  }
});

test('A1: a word that gives no right does not grant everything', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  for (const scope of ['offline_access', ' ', 'offline_access offline_access']) {
    const answer = await openRequest(reader, requestPath(client, { scope }));
    assert.equal(answerOf(answer).error, 'invalid_scope', scope);
  }
  const { access } = await tokensFor(forge, client, { reader, scope: 'offline_access read:user' });
  assert.equal((await forge.get('/api/v1/user', { as: { token: access } })).status, 200);
  assert.equal((await forge.get('/api/v1/user/orgs', { as: { token: access } })).status, 403);
});

test('A5: an OAuth2 token creates no token, and grants nothing to another application', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { access } = await tokensFor(forge, client, { reader });

  for (const form of formsOf(access)) {
    const created = await forge.send('POST', '/api/v1/users/ada/tokens', { json: { name: 'x' }, ...form });
    assert.equal(created.status, 401);
    for (const method of ['GET', 'POST'])
      assert.equal(
        (await forge.send(method, `/login/oauth/authorize?${granting(client)}`, form)).status,
        401,
      );
  }
});

function granting({ clientId, redirectUri }: { clientId: string; redirectUri: string }): URLSearchParams {
  return new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, response_type: 'code' });
}

test('git clones and pushes with an OAuth2 token as its password', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { private: true, auto_init: true });
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const folder = await temporaryFolder(t);
  const remoteWith = (token: string) => `${forge.url.replace('://', `://oauth2:${token}@`)}/ada/loom.git`;
  const writing = await tokensFor(forge, client, { reader, scope: 'write:repository' });
  const reading = await tokensFor(forge, client, { reader, scope: 'read:repository' });

  await git(folder, ['clone', '--quiet', remoteWith(reading.access), 'loom']);
  await git(`${folder}/loom`, ['commit', '--quiet', '--allow-empty', '-m', 'Weave']);
  assert.notEqual((await tryGit(`${folder}/loom`, ['push', '--quiet'])).exitCode, 0);
  await git(`${folder}/loom`, ['push', '--quiet', remoteWith(writing.access), 'HEAD']);

  const { body } = await ada.get('/api/v1/repos/ada/loom/commits?limit=1');
  assert.equal(body[0].commit.message.trim(), 'Weave');
});

test('a transfer of a large file ends with the grant that began it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { private: true });
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { access, refresh } = await tokensFor(forge, client, { reader, scope: 'write:repository' });
  const as = { name: 'oauth2', password: access };
  const uploads = await batch(forge, 'ada/loom', 'upload', [objectOf('one'), objectOf('two')], { as });
  const [first, second] = uploads.body.objects;

  assert.equal((await follow('PUT', first.actions.upload, 'one')).status, 200);
  await sendForm(forge, client, { token: refresh }, '/login/oauth/revoke');
  assert.equal((await follow('PUT', second.actions.upload, 'two')).status, 401);
});

test('an administrator acts as another account only with an OAuth2 token for administration', async (t) => {
  const forge = await startForge(t);
  await forge.account('ada');
  const client = await createClient(forge.root);
  const reader = new PageReader(forge);
  await reader.signIn(forge.root);
  const login = async (scope: string) => {
    const { access } = await tokensFor(forge, client, { reader, scope });
    return (await forge.get('/api/v1/user?sudo=ada', { as: { token: access } })).body.login;
  };

  assert.equal(await login(''), 'ada');
  assert.equal(await login('write:admin read:user'), 'ada');
  assert.equal(await login('read:user'), undefined);
});

test('an account that must change its password does nothing with its OAuth2 tokens', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const { access } = await tokensFor(forge, client, { reader });
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: true });

  const { status, body } = await forge.get('/api/v1/user', { as: { token: access } });

  assert.equal(status, 403);
  assert.match(body.message, /must change your password/);
});
