import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startForge } from '../support/forge/forge.ts';
import { newOpenPgpPair, signDetached } from '../support/keys/openpgp.ts';
import { newEd25519 } from '../support/keys/ssh-keys.ts';

test('gitea-js adds, lists, proves and deletes keys of a user and of a repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const api = giteaApi(forge.url, { token: ada.token });
  const { line } = newEd25519();
  const { data: ssh } = await api.user.userCurrentPostKey({ key: line, title: 'loom' });
  assert.deepEqual([ssh.key, ssh.title, ssh.user?.login], [line, 'loom', 'ada']);
  assert.deepEqual((await api.users.userListKeys('ada')).data.length, 1);
  assert.equal((await api.user.userCurrentGetKey(ssh.id ?? 0)).data.fingerprint, ssh.fingerprint);
  await api.user.userCurrentDeleteKey(ssh.id ?? 0);
  assert.deepEqual((await api.user.userCurrentListKeys()).data, []);

  const { data: build } = await api.repos.repoCreateKey('ada', 'loom', {
    key: line,
    title: 'build',
    read_only: true,
  });
  assert.deepEqual([build.read_only, build.repository?.full_name], [true, 'ada/loom']);
  assert.equal((await api.repos.repoListKeys('ada', 'loom', { key_id: build.key_id ?? 0 })).data.length, 1);
  await api.repos.repoDeleteKey('ada', 'loom', build.id ?? 0);

  const pair = await newOpenPgpPair();
  const { data: key } = await api.user.userCurrentPostGpgKey({ armored_public_key: pair.armored });
  assert.deepEqual([key.verified, key.emails?.[0]?.email], [false, 'ada@example.org']);
  const token = (await ada.get('/api/v1/user/gpg_key_token')).text;
  const { data: proved } = await api.user.userVerifyGpgKey({
    body: { key_id: key.key_id ?? '', armored_signature: await signDetached(pair, token) },
  } as never);
  assert.equal(proved.verified, true);
  await api.user.userCurrentDeleteGpgKey(key.id ?? 0);
  assert.deepEqual((await api.users.userListGpgKeys('ada')).data, []);
});
