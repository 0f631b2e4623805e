import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { isInstalled } from '../../support/tools.ts';
import { newOpenPgpFile, newSshPair } from './server-keys.ts';
import { startSigning } from './world.ts';

const FILES = ['signing-key.gpg', 'signing-key.ssh', 'signing-key.pub'];
const PLACES = ['/api/v1', '/api/v1/repos/ada/engine'];

test('the SSH key of the server is public, in the form of authorized_keys', async (t) => {
  if (!(await isInstalled('ssh-keygen'))) return t.skip('ssh-keygen is not installed');
  const pair = await newSshPair(t);
  const { forge } = await startSigning(t, pair);
  const line = (await readFile(pair.publicFile, 'utf8')).replace(' server', '');
  for (const place of PLACES) {
    const [gpg, ssh, pub] = await Promise.all(FILES.map((file) => forge.get(`${place}/${file}`)));
    for (const answer of [ssh, pub]) {
      assert.deepEqual([answer?.status, answer?.text], [200, line]);
      assert.equal(answer?.headers.get('content-type'), 'text/plain; charset=utf-8');
    }
    assert.deepEqual([gpg?.status, gpg?.text], [200, '']);
  }
});

test('the OpenPGP key of the server is public, and without its private part', async (t) => {
  if (!(await isInstalled('gpg'))) return t.skip('gpg is not installed: apt-get install gnupg');
  const { forge } = await startSigning(t, await newOpenPgpFile(t));
  for (const place of PLACES) {
    const { status, text } = await forge.get(`${place}/signing-key.gpg`);
    assert.equal(status, 200);
    assert.match(text, /^-----BEGIN PGP PUBLIC KEY BLOCK-----\n[\s\S]*-----END PGP PUBLIC KEY BLOCK-----\n$/);
    for (const file of ['signing-key.ssh', 'signing-key.pub'])
      assert.equal((await forge.get(`${place}/${file}`)).status, 404);
  }
});

test('a server without a key has none to show, and the key of a hidden repository is hidden', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const statuses = async (who: Pick<typeof ada, 'get'>, place: string) =>
    (await Promise.all(FILES.map((file) => who.get(`${place}/${file}`)))).map(({ status }) => status);
  assert.deepEqual(await statuses(forge, '/api/v1'), [200, 404, 404]);
  assert.deepEqual(await statuses(ada, '/api/v1/repos/ada/engine'), [200, 404, 404]);
  assert.deepEqual(await statuses(forge, '/api/v1/repos/ada/engine'), [404, 404, 404]);
  assert.equal((await forge.get('/api/v1/signing-key.gpg')).text, '');
});
