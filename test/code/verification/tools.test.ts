import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { newGnupgKey } from '../../support/keys/gnupg.ts';
import { isInstalled } from '../../support/tools.ts';
import { notVerified, verified } from './world.ts';

// Keys and signatures of the programs that users have.

const LOOM = '/api/v1/repos/ada/loom';
const run = promisify(execFile);

/** Starts a forge and a clone of ada's repository, whose commits and tags git signs. */
async function startLoom(t: TestContext, settings: Readonly<Record<string, string>>, environment = {}) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main']);
  for (const [name, value] of Object.entries(settings)) await git(folder, ['config', name, value]);
  const pushed = async (name: string) => {
    await writeFile(join(folder, name), name);
    await git(folder, ['add', '-A']);
    await git(folder, ['commit', '-q', '-S', '-m', `Add ${name}`], { environment });
    await git(folder, ['tag', '-s', '-m', `Version ${name}`, name], { environment });
    await git(folder, ['push', '-q', ada.remote('ada/loom'), 'main', '--tags']);
    const commit = (await forge.get(`${LOOM}/branches/main`)).body.commit.verification;
    const oid = await git(folder, ['rev-parse', `refs/tags/${name}`]);
    const tag = (await forge.get(`${LOOM}/git/tags/${oid}`)).body.verification;
    return [commit, tag].map(({ verified: isVerified, reason, signer }) => ({
      verified: isVerified,
      reason,
      signer,
    }));
  };
  return { forge, ada, folder, pushed };
}

for (const kind of ['ed25519', 'rsa', 'ecdsa']) {
  test(`commits and tags that git signs with a ${kind} key of ssh-keygen are verified`, async (t) => {
    if (!(await isInstalled('ssh-keygen')))
      return t.skip('ssh-keygen is not installed: apt-get install openssh-client');
    const keys = await temporaryFolder(t);
    const file = join(keys, 'id');
    await run('ssh-keygen', ['-q', '-t', kind, '-N', '', '-C', 'ada@loom', '-f', file]);
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': file };
    const { ada, pushed } = await startLoom(t, settings);
    const unknown = notVerified('no_gpg_keys_found');
    assert.deepEqual(await pushed('v1'), [unknown, unknown]);
    const line = await readFile(`${file}.pub`, 'utf8');
    const added = await ada.post('/api/v1/user/keys', { key: line, title: 'loom' });
    assert.deepEqual([added.status, added.body.key], [201, line.trim()], added.text);
    const { stdout } = await run('ssh-keygen', ['-l', '-f', file]);
    assert.equal(stdout.split(' ')[1], added.body.fingerprint);
    const known = verified('ada', added.body.fingerprint);
    assert.deepEqual(await pushed('v2'), [known, known]);
  });
}

for (const algorithm of ['ed25519', 'rsa2048', 'nistp256']) {
  test(`commits and tags that git signs with an ${algorithm} key of GnuPG are verified`, async (t) => {
    if (!(await isInstalled('gpg'))) return t.skip('gpg is not installed: apt-get install gnupg');
    const { environment, gpg } = await newGnupgKey(t, { algorithm });
    const { ada, pushed } = await startLoom(t, { 'user.signingkey': 'ada@example.org' }, environment);
    const armored = await gpg('--armor', '--export', 'ada@example.org');
    const added = await ada.post('/api/v1/user/gpg_keys', { armored_public_key: armored });
    assert.equal(added.status, 201, added.text);
    const { key_id: keyId, id, expires_at: expiresAt } = added.body;
    assert.match(expiresAt, /^\d{4}-\d\d-\d\dT/);
    const known = verified('ada', keyId);
    assert.deepEqual(await pushed('v1'), [known, known]);

    const token = (await ada.get('/api/v1/user/gpg_key_token')).text;
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'token'), `${token}\n`);
    const signature = await gpg('--armor', '--output', '-', '--detach-sign', join(folder, 'token'));
    const proof = { key_id: keyId, armored_signature: signature };
    assert.equal((await ada.post('/api/v1/user/gpg_key_verify', proof)).body.verified, true);

    await ada.delete(`/api/v1/user/gpg_keys/${id}`);
    const unknown = notVerified('no_gpg_keys_found');
    assert.deepEqual(await pushed('v2'), [unknown, unknown]);
  });
}
