import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SSH_LIMITS } from '../../../src/code/ssh/limits.ts';
import type { SshIdentity } from '../../../src/code/ssh/model.ts';
import { shareOf } from '../../../src/code/ssh/model.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { addKey, connectAs, type KeyFile, newKeyFile, startSshForge } from './ssh-stage.ts';

/** Fewer than the connections of one network that may sign in at once. */
const AT_ONCE = 32;

/** Makes an organization of a person with a repository, and returns a deploy key of the repository. */
async function keyOfOrganization(t: TestContext, owner: Person, name: string): Promise<KeyFile> {
  await owner.post('/api/v1/orgs', { username: name });
  await owner.post(`/api/v1/orgs/${name}/repos`, { name: 'engine' });
  return addDeployKey(t, owner, `${name}/engine`);
}

async function addDeployKey(t: TestContext, by: Person, path: string): Promise<KeyFile> {
  const key = await newKeyFile(t);
  const added = await by.post(`/api/v1/repos/${path}/keys`, { title: 'robot', key: key.line });
  assert.equal(added.status, 201, added.text);
  return key;
}

/** Returns what limits count a key as. */
async function shareOfKey(forge: TestForge, { line }: KeyFile): Promise<string> {
  const [algo = '', blob = ''] = line.split(' ');
  const offer = { algorithm: algo, hash: undefined, blob: Buffer.from(blob, 'base64') };
  const { sshIdentities } = forge.forge.running.services;
  const found = await sshIdentities.find(offer, { proof: undefined, address: '127.0.0.1' });
  return shareOf(found as SshIdentity);
}

async function signsIn(t: TestContext, forge: TestForge, key: KeyFile): Promise<boolean> {
  return (await connectAs(t, forge, { privateKey: key.text })).error === undefined;
}

test('H7: deploy keys of all organizations of a user count as one caller', async (t) => {
  const forge = await startSshForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  const keys = [await keyOfOrganization(t, ada, 'guild'), await keyOfOrganization(t, ada, 'works')];
  const third = await keyOfOrganization(t, ada, 'third');
  const ofBen = await keyOfOrganization(t, ben, 'other');
  const own = await addKey(t, ada);

  for (let open = 0; open < SSH_LIMITS.connectionsPerCallerMax; open += AT_ONCE) {
    const opened = Array.from({ length: AT_ONCE }, (_, index) =>
      signsIn(t, forge, keys[index % keys.length] ?? third),
    );
    assert.deepEqual(new Set(await Promise.all(opened)), new Set([true]));
  }

  assert.equal(await signsIn(t, forge, third), false, 'a further organization gives no further connections');
  assert.equal(await signsIn(t, forge, own), true, 'the keys of the user count apart');
  assert.equal(await signsIn(t, forge, ofBen), true, 'another user has connections of their own');
});

test('a deploy key counts for the user who has added it, and for the owner where nothing is known', async (t) => {
  const forge = await startSshForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.repository('engine');
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'admin' });
  const idOf = async (person: Person) => (await person.get('/api/v1/user')).body.id;
  const [adaId, benId] = [await idOf(ada), await idOf(ben)];
  const ofOwner = await addDeployKey(t, ada, 'ada/engine');
  const byBen = await newKeyFile(t);
  await ben.post('/api/v1/repos/ada/engine/keys', { title: 'other robot', key: byBen.line });
  const ofGuild = await keyOfOrganization(t, ada, 'guild');

  assert.equal(await shareOfKey(forge, ofOwner), `account ${adaId}`);
  assert.equal(await shareOfKey(forge, byBen), `deploy keys that account ${benId} has added`);
  assert.equal(await shareOfKey(forge, ofGuild), `deploy keys that account ${adaId} has added`);
  assert.equal((await forge.root.delete('/api/v1/admin/users/ben')).status, 204);
  assert.equal(await shareOfKey(forge, byBen), `account ${adaId}`);
});
