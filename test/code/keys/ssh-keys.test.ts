import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_LIMITS } from '../../../src/code/keys/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { allKinds, newEd25519, newRsa, signSsh } from '../../support/keys/ssh-keys.ts';

const OWN = '/api/v1/user/keys';

async function tokenOf(who: Person): Promise<string> {
  return (await who.get('/api/v1/user/gpg_key_token')).text.trim();
}

test('a user adds, lists, gets and deletes SSH keys of every kind', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const added = [];
  for (const { type, line } of allKinds()) {
    const created = await ada.post(OWN, { key: `  ${line}   ada@loom \n`, title: ` my ${type} ` });
    assert.equal(created.status, 201, created.text);
    const { id, key, title, fingerprint, url, verified, key_type, read_only, user } = created.body;
    assert.deepEqual({ key, title }, { key: `${line} ada@loom`, title: `my ${type}` });
    assert.match(fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/);
    assert.equal(url, `${forge.url}${OWN}/${id}`);
    assert.deepEqual([verified, key_type, read_only, user.login], [false, 'user', false, 'ada']);
    added.push(created.body);
  }
  assert.deepEqual((await ada.get(OWN)).body, added);
  const [first, second] = added;
  assert.deepEqual((await ada.get(`${OWN}/${first.id}`)).body, first);
  const print = encodeURIComponent(second.fingerprint);
  assert.deepEqual((await ada.get(`${OWN}?fingerprint=${print}`)).body, [second]);
  assert.deepEqual((await ada.get(`${OWN}?fingerprint=SHA256%3Aother`)).body, []);
  assert.equal((await ada.get(`${OWN}?limit=2&page=2`)).headers.get('x-total-count'), String(added.length));

  assert.equal((await ada.delete(`${OWN}/${first.id}`)).status, 204);
  assert.equal((await ada.delete(`${OWN}/${first.id}`)).status, 404);
  assert.equal((await ada.get(`${OWN}/${first.id}`)).status, 404);
  const events = await eventsOf(forge.forge.running.engines.database, 'ssh-key.');
  assert.deepEqual(
    events.map(({ kind, actor }) => [kind, actor]),
    [...added.map(() => ['ssh-key.created', 'ada']), ['ssh-key.deleted', 'ada']],
  );
});

test('B1: others see the keys of a visible user without private fields, and change none of them', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const eve = await forge.account('eve', { visibility: 'private' });
  const hidden = (await eve.post(OWN, { key: newEd25519().line, title: 'secret' })).body;
  assert.equal((await eve.get(`${OWN}/${hidden.id}`)).status, 200);
  const { id, fingerprint } = (await ada.post(OWN, { key: newEd25519().line, title: 'loom' })).body;

  for (const listed of [await forge.get('/api/v1/users/ada/keys'), await ben.get('/api/v1/users/ada/keys')]) {
    assert.equal(listed.status, 200);
    assert.equal(listed.body[0].fingerprint, fingerprint);
    assert.deepEqual([listed.body[0].user, listed.body[0].key_type], [undefined, undefined]);
  }
  assert.equal((await ben.get('/api/v1/users/eve/keys')).status, 404);
  assert.deepEqual((await ben.get(OWN)).body, []);
  const one = await ben.get(`${OWN}/${id}`);
  assert.deepEqual([one.status, one.body.fingerprint, one.body.user], [200, fingerprint, undefined]);
  assert.equal((await ben.get(`${OWN}/${hidden.id}`)).status, 404);
  assert.equal((await ben.delete(`${OWN}/${id}`)).status, 404);
  assert.equal((await forge.root.get('/api/v1/users/ada/keys')).body[0].user.login, 'ada');
});

test('A15: a key that another user has added without a proof belongs to the user who signs with it', async (t) => {
  const forge = await startForge(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  for (const pair of allKinds()) {
    const title = pair.type;
    assert.equal((await eve.post(OWN, { key: pair.line, title })).status, 201);
    const denied = await ada.post(OWN, { key: pair.line, title });
    assert.equal(denied.status, 422);
    assert.match(denied.body.message, /Key content has been used.*`ssh-keygen -Y sign -n quire/s);
    const [token, others] = [await tokenOf(ada), await tokenOf(eve)];
    for (const signature of [
      'nonsense',
      signSsh(pair, token),
      signSsh(pair, others, { namespace: 'quire' }),
      signSsh(newEd25519(), token, { namespace: 'quire' }),
    ]) {
      const answer = await ada.post(OWN, { key: pair.line, title, armored_signature: signature });
      assert.equal(answer.status, 422, title);
    }
    const proof = signSsh(pair, token, { namespace: 'quire' });
    const proved = await ada.post(OWN, { key: pair.line, title, armored_signature: proof });
    assert.deepEqual([proved.status, proved.body.verified], [201, true], proved.text);
    assert.deepEqual((await eve.get(OWN)).body, []);
    const back = signSsh(pair, others, { namespace: 'quire' });
    const again = await eve.post(OWN, { key: pair.line, title, armored_signature: back });
    assert.equal(again.status, 422, 'a proved key stays');
  }
  const deleted = await eventsOf(forge.forge.running.engines.database, 'ssh-key.deleted');
  assert.equal(deleted.length, allKinds().length);
});

test('A15: an administrator and a proof take a key from a deploy key, too', async (t) => {
  const forge = await startForge(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await eve.repository('trap');
  const deploy = '/api/v1/repos/eve/trap/keys';
  const [first, second] = [newEd25519(), newEd25519()];
  for (const [pair, title] of [
    [first, 'first'],
    [second, 'second'],
  ] as const)
    assert.equal((await eve.post(deploy, { key: pair.line, title })).status, 201);
  const signature = signSsh(first, `${await tokenOf(ada)}\n`, { namespace: 'gitea' });
  const proved = await ada.post(OWN, { key: first.line, title: 'mine', armored_signature: signature });
  assert.equal(proved.status, 201, proved.text);
  const given = await forge.root.post('/api/v1/admin/users/ada/keys', { key: second.line, title: 'other' });
  assert.deepEqual([given.status, given.body.verified], [201, true], given.text);
  assert.deepEqual((await eve.get(deploy)).body, []);
  assert.equal((await ada.get(OWN)).body.length, 2);
});

test('422: a key or a title that is in use, too many keys, and texts that are no usable key', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const { line } = newEd25519();
  await ada.post(OWN, { key: line, title: 'loom' });
  const rejected = async (who: typeof ada, key: string, title: string) => {
    const { status, body } = await who.post(OWN, { key, title });
    assert.equal(status, 422, `${key.slice(0, 60)}: ${body.message}`);
    return body.message as string;
  };
  assert.match(await rejected(ada, `${line} again`, 'other'), /used/);
  assert.match(await rejected(ben, line, 'loom'), /used/);
  assert.match(await rejected(ada, newEd25519().line, 'loom'), /title has been used/);
  assert.match(await rejected(ada, newEd25519().line, ' '), /Title.*Required/);
  assert.match(
    await rejected(ada, newEd25519().line, 'x'.repeat(KEY_LIMITS.keyTitleCharsMax + 1)),
    /MaxSize/,
  );
  assert.match(await rejected(ada, newEd25519().line, 'two\nlines'), /one line/);

  const secret = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n';
  const why = await rejected(ada, secret, 'oops');
  assert.match(why, /private key/);
  assert.doesNotMatch(why, /c2VjcmV0/);
  assert.match(await rejected(ada, 'PuTTY-User-Key-File-3: ssh-ed25519\n', 'oops'), /private key/);
  assert.match(await rejected(ada, newRsa(1024).line, 'small'), /at least 2048 bits, and it has 1024/);
  const blob = line.split(' ')[1];
  for (const key of [
    '',
    'nonsense',
    'ssh-ed25519',
    'ssh-dss AAAAB3NzaC1kc3M=',
    'ssh-ed25519 not/base64!',
    `ssh-ed25519 ${blob}\nssh-ed25519 ${blob}`,
    `ssh-rsa ${blob}`,
    `ssh-ed25519-cert-v01@openssh.com ${blob}`,
    `command="rm" ${line}`,
    `${line} ${'x'.repeat(KEY_LIMITS.sshKeyCharsMax)}`,
    `${line} comment\0`,
  ])
    assert.match(await rejected(ada, key, 'bad'), /^Invalid key content: /);
  assert.equal((await ada.get(OWN)).body.length, 1);

  for (let count = 1; count < KEY_LIMITS.sshKeysPerAccountMax; count += 1)
    assert.equal((await ada.post(OWN, { key: newEd25519().line, title: `key ${count}` })).status, 201);
  assert.match(await rejected(ada, newEd25519().line, 'one more'), /at most 100 SSH keys/);
});

test('site administrators add and delete keys of users, and a deleted user frees its keys', async (t) => {
  const forge = await startForge(t);
  const [, ben] = [await forge.account('ada'), await forge.account('ben')];
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  const { line } = newEd25519();
  const url = '/api/v1/admin/users/ada/keys';
  const created = await forge.root.post(url, { key: line, title: 'loom' });
  assert.equal(created.status, 201, created.text);
  assert.equal((await ben.post(url, { key: newEd25519().line, title: 'x' })).status, 403);
  assert.equal((await ben.delete(`${url}/${created.body.id}`)).status, 403);
  const organization = await forge.root.post('/api/v1/admin/users/guild/keys', { key: line, title: 'x' });
  assert.equal(organization.status, 422);
  assert.equal((await forge.root.delete(`/api/v1/admin/users/ben/keys/${created.body.id}`)).status, 404);
  assert.equal((await forge.root.delete(`${url}/${created.body.id}`)).status, 204);

  await forge.root.post(url, { key: line, title: 'loom' });
  assert.equal((await ben.post(OWN, { key: line, title: 'loom' })).status, 422);
  assert.equal((await forge.root.delete('/api/v1/admin/users/ada')).status, 204);
  assert.equal((await ben.post(OWN, { key: line, title: 'loom' })).status, 201);
});

test('of many requests that add the same key at once, one succeeds', async (t) => {
  const forge = await startForge(t);
  const people = await Promise.all(['ada', 'ben', 'cy', 'dot'].map((name) => forge.account(name)));
  const { line } = newEd25519();
  const answers = await Promise.all(people.map((who) => who.post(OWN, { key: line, title: 'same' })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422]);
});
