import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageReader } from '../../support/http/page-reader.ts';
import { signInByPages, startCertifiedProvider } from './certified-provider.ts';
import { begin, startForgeWith } from './test-provider.ts';

test('a person signs in with the pages of a certified provider, and again later', async (t) => {
  const provider = await startCertifiedProvider(t);
  const forge = await startForgeWith(t, [
    {
      name: 'corp',
      issuer: provider.issuer,
      clientId: 'quire',
      clientSecret: 'a secret of 32 characters, more or less',
      scopes: ['openid', 'profile', 'email', 'groups'],
      createAccounts: 'automatic',
      groupTeams: { developers: 'guild/builders' },
    },
  ]);
  const callback = `${forge.url}/user/oauth2/corp/callback`;
  provider.addClient({
    client_id: 'quire',
    client_secret: 'a secret of 32 characters, more or less',
    redirect_uris: [callback],
    scope: 'openid profile email groups',
  });
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  await forge.root.post('/api/v1/orgs/guild/teams', { name: 'builders', permission: 'write' });

  for (const [round, path] of ['/', '/ada'].entries()) {
    const reader = new PageReader(forge);
    const location = await begin(reader, `/user/oauth2/corp?redirect_to=${path}`);
    const back = await signInByPages(location, 'ada', callback);
    const answer = await reader.get(back.slice(forge.url.length));

    assert.deepEqual([answer.status, answer.headers.get('location')], [303, path], answer.text);
    const { body } = await reader.get('/api/v1/user');
    assert.deepEqual([body.login, body.email], ['ada', 'ada@corp.example'], `round ${round}`);
    const { body: teams } = await reader.get('/api/v1/user/teams');
    assert.deepEqual(
      teams.map((team: { name: string }) => team.name),
      ['builders'],
    );
    assert.equal((await reader.get(back.slice(forge.url.length))).status, 400);
  }
});

test('A16: a redirect address that differs in one character is refused by the provider', async (t) => {
  const provider = await startCertifiedProvider(t);
  const forge = await startForgeWith(t, [
    { name: 'corp', issuer: provider.issuer, clientId: 'quire', clientSecret: 'a secret of the client' },
  ]);
  provider.addClient({
    client_id: 'quire',
    client_secret: 'a secret of the client',
    redirect_uris: [`${forge.url}/user/oauth2/corp/callbacK`],
  });
  const location = await begin(new PageReader(forge));

  const response = await fetch(location, { redirect: 'manual' });

  assert.equal(response.status, 400);
  assert.match(await response.text(), /redirect_uri/);
});
