import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/app/config.ts';
import { PROVIDER_KEYS } from '../../src/app/setting-values/providers.ts';
import type { ProviderSettings } from '../../src/people/external/model.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const CORP = { name: 'corp', issuer: 'https://id.example.org', clientId: 'quire' };

/** Reads the providers of a file with this content. */
function reader(folder: string): (content: unknown) => readonly ProviderSettings[] {
  const path = join(folder, 'providers.json');
  return (content) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readConfig({ signInProviders: path }, {}).signInProviders;
  };
}

test('a provider needs three keys, and the others have defaults', async (t) => {
  const read = reader(await temporaryFolder(t));
  assert.deepEqual(read([CORP]), [
    {
      ...CORP,
      displayName: 'corp',
      clientSecret: '',
      scopes: ['openid', 'profile', 'email'],
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      groupTeams: [],
      allowOwners: false,
      adminGroup: '',
      requiredGroups: [],
      createAccounts: 'never',
      linkByEmail: false,
    },
  ]);
});

test('the secret of a client is in the file, or in a file that it names', async (t) => {
  const folder = await temporaryFolder(t);
  const read = reader(folder);
  writeFileSync(join(folder, 'secret'), 'of the client\n');

  assert.equal(read([{ ...CORP, clientSecret: 'x' }])[0]?.clientSecret, 'x');
  assert.equal(read([{ ...CORP, clientSecretFile: 'secret' }])[0]?.clientSecret, 'of the client');
});

test('A6: a mistake in the file of providers is named, and no secret is shown', async (t) => {
  const read = reader(await temporaryFolder(t));
  const wrong: readonly [unknown, RegExp][] = [
    ['[{"clientSecret": "topsecret"', /is not valid JSON/],
    [{}, /JSON array/],
    [[], /JSON array/],
    [['corp'], /must be an object/],
    [[{ ...CORP, hue: 'red' }], /unknown key hue: choose from name/],
    [[CORP, CORP], /same name/],
    [Array.from({ length: 21 }, (_, index) => ({ ...CORP, name: `p${index}` })), /at most 20 providers/],
    [[{ ...CORP, name: 'Corp/x' }], /name of provider 1/],
    [[{ ...CORP, clientId: '' }], /clientId of provider 1/],
    [[{ ...CORP, clientId: 7 }], /clientId of provider 1/],
    [[{ name: 'corp', clientId: 'quire' }], /issuer of provider 1/],
    [[{ ...CORP, issuer: 'http://id.example.org' }], /must begin with https/],
    [[{ ...CORP, issuer: 'https://id.example.org/?x' }], /must not contain a user, a query/],
    [[{ ...CORP, scopes: ['profile'] }], /one must be openid/],
    [[{ ...CORP, scopes: 'openid' }], /array of texts/],
    [[{ ...CORP, allowOwners: 'true' }], /must be true or false/],
    [[{ ...CORP, createAccounts: 'always' }], /one of never, ask, automatic/],
    [[{ ...CORP, groupTeams: ['guild/builders'] }], /must be an object/],
    [[{ ...CORP, groupTeams: { staff: 'builders' } }], /organization\/team, for group staff/],
    [[{ ...CORP, groupTeams: { staff: ['guild/a/b'] } }], /organization\/team, for group staff/],
    [[{ ...CORP, groupTeams: { staff: 'guild/OWNERS' } }], /set allowOwners to true/],
    [[{ ...CORP, clientSecret: 'topsecret', clientSecretFile: 'x' }], /not both/],
    [[{ ...CORP, clientSecret: 'topsecret\n' }], /clientSecret of provider 1/],
    [[{ ...CORP, clientSecretFile: 'missing' }], /cannot read clientSecretFile/],
  ];
  for (const [content, expected] of wrong)
    assert.throws(
      () => read(content),
      (error: Error) => expected.test(error.message) && !error.message.includes('topsecret'),
      JSON.stringify(content),
    );
  assert.throws(
    () => readConfig({ signInProviders: '/missing.json' }, {}),
    /cannot read the sign-in providers/,
  );
});

test('the page for operators has all keys of a provider', () => {
  const page = readFileSync(join(ROOT, 'docs/sign-in.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  assert.deepEqual(listed, [...PROVIDER_KEYS]);
});
