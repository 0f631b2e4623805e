import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readKeys } from 'openpgp';
import { startForge } from '../../support/forge/forge.ts';
import { newOpenPgpPair } from '../../support/keys/openpgp.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';

test('the keys of a user have addresses from which ssh and gpg take them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('a.da');
  const lines = [newEd25519().line, newEd25519().line];
  const pairs = await Promise.all([1, 2].map(() => newOpenPgpPair({ emails: ['a.da@example.org'] })));
  for (const [index, line] of lines.entries())
    await ada.post('/api/v1/user/keys', { key: `${line} ada@loom`, title: `key ${index}` });
  for (const { armored } of pairs) await ada.post('/api/v1/user/gpg_keys', { armored_public_key: armored });

  const ssh = await forge.get('/A.da.keys');
  const gpg = await forge.get('/a.da.gpg');

  assert.deepEqual([ssh.status, ssh.text], [200, lines.map((line) => `${line}\n`).join('')]);
  const read = await readKeys({ armoredKeys: gpg.text });
  assert.deepEqual(
    read.map((key) => key.getFingerprint()),
    pairs.map(({ publicKey }) => publicKey.getFingerprint()),
  );
  for (const { headers } of [ssh, gpg]) {
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
  const known = { headers: { 'if-none-match': ssh.headers.get('etag') ?? '' } };
  assert.equal((await forge.get('/a.da.keys', known)).status, 304);
});

test('a user without keys has empty ones, and a hidden user none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve', { visibility: 'private' });
  for (const ending of ['keys', 'gpg']) {
    const empty = await forge.get(`/ada.${ending}`);
    assert.deepEqual([empty.status, empty.text], [200, '']);
    assert.equal((await eve.get(`/eve.${ending}`)).status, 200);
    for (const hidden of [await ada.get(`/eve.${ending}`), await forge.get(`/nobody.${ending}`)])
      assert.deepEqual([hidden.status, hidden.text], [404, '404 page not found\n']);
  }
});
