import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { newOpenPgpPair } from '../../support/keys/openpgp.ts';
import { collectLog } from '../../support/log-lines.ts';

test('A6: a private key that was sent by mistake is in no response, in no log and not in the database', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const { app, engines } = forge.forge.running;
  const log = collectLog(app);
  const secret = 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmU';
  const ssh = `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----\n`;
  const openPgp = (await newOpenPgpPair()).privateKey.armor();
  const part = openPgp.split('\n')[4] ?? '';
  const answers = [
    await ada.post('/api/v1/user/keys', { key: ssh, title: 'loom' }),
    await ada.post('/api/v1/repos/ada/loom/keys', { key: ssh, title: 'loom' }),
    await forge.root.post('/api/v1/admin/users/ada/keys', { key: ssh, title: 'loom' }),
    await ada.post('/api/v1/user/gpg_keys', { armored_public_key: openPgp }),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 422);
    assert.match(text, /private key/);
    assert.ok(!text.includes(secret) && !text.includes(part));
  }
  assert.ok(part.length > 20);
  const written = log.join('');
  assert.ok(!written.includes(secret) && !written.includes(part));
  const keys = await engines.database.reader.selectFrom('ssh_keys').select('id').execute();
  assert.deepEqual(keys, []);
});
