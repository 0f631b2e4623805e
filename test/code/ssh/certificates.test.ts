// Runs once: the database has no part in certificates.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newAuthority, whyNoKeygen } from './certificates.ts';
import { gitWithKey, newKeyFile, ssh, sshRemote, startSshForge } from './ssh-stage.ts';

const options = { skip: whyNoKeygen };

async function stage(t: TestContext, type?: 'ed25519' | 'rsa' | 'ecdsa') {
  const authority = await newAuthority(t, type);
  const forge = await startSshForge(t, { settings: { sshAuthorities: authority.file } });
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  return { authority, forge, ada };
}

for (const type of ['ed25519', 'rsa', 'ecdsa'] as const) {
  test(
    `a certificate of an authority with a key of type ${type} signs its principal in`,
    options,
    async (t) => {
      const { authority, forge } = await stage(t, type);
      const key = await authority.certify('ada');
      const greeted = await ssh(forge, key);
      assert.match(greeted.stdout, /^Hi there, ada! .* the key named laptop of ada,/, greeted.stderr);
      const listed = await gitWithKey(process.cwd(), key, ['ls-remote', sshRemote(forge, 'ada/engine')]);
      assert.equal(listed.exitCode, 0, listed.stderr);
    },
  );
}

for (const type of ['rsa', 'ecdsa'] as const) {
  test(`a certificate for a key of type ${type} signs in`, options, async (t) => {
    const { authority, forge } = await stage(t);
    const key = await authority.certify('ada', [], await newKeyFile(t, type));
    assert.match((await ssh(forge, key)).stdout, /^Hi there, ada!/);
  });
}

test('a principal that is not an account does not matter beside one that is', options, async (t) => {
  const { authority, forge } = await stage(t);
  assert.match((await ssh(forge, await authority.certify('ops,Ada'))).stdout, /^Hi there, ada!/);
});

for (const [name, principals, more] of [
  ['without a principal', '', []],
  ['for no account', 'nobody', []],
  ['for several accounts', 'ada,bob', []],
  ['that has expired', 'ada', ['-V', '-2h:-1h']],
  ['that is not valid yet', 'ada', ['-V', '+1h:+2h']],
  ['for a host', 'ada', ['-h']],
  ['for other addresses', 'ada', ['-O', 'source-address=10.0.0.0/8']],
  ['with a forced command', 'ada', ['-O', 'force-command=/bin/true']],
  ['with an option that is not known', 'ada', ['-O', 'critical:limit@example.org=1']],
] as const) {
  test(`a certificate ${name} does not sign in`, options, async (t) => {
    const { authority, forge } = await stage(t);
    await forge.account('bob');
    const refused = await ssh(forge, await authority.certify(principals, more));
    assert.match(refused.stderr, /Permission denied/);
  });
}

test('a certificate for the address of its client signs in', options, async (t) => {
  const { authority, forge } = await stage(t);
  const key = await authority.certify('ada', ['-O', 'source-address=10.0.0.0/8,127.0.0.0/8']);
  assert.match((await ssh(forge, key)).stdout, /^Hi there, ada!/);
});

test('a certificate of another authority does not sign in', options, async (t) => {
  const { forge } = await stage(t);
  const other = await newAuthority(t);
  assert.match((await ssh(forge, await other.certify('ada'))).stderr, /Permission denied/);
});

test('the certificate of a disabled account is refused', options, async (t) => {
  const { authority, forge } = await stage(t);
  const key = await authority.certify('ada');
  await forge.root.patch('/api/v1/admin/users/ada', { prohibit_login: true });
  assert.match((await ssh(forge, key)).stderr, /^the account is disabled/);
});
