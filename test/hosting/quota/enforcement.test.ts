import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { attach, upload as uploadAttachment } from '../../tracker/issues/attachments/attachment-files.ts';
import { ISSUES, open } from '../../tracker/issues/tracker.ts';
import { objectOf, upload } from '../lfs/objects.ts';
import { GROUPS, limit, RULES } from './groups.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const KIB = 1024;

/** Returns a clone with a commit of a file with this many random bytes. */
async function committed(t: TestContext, bytes: number): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main']);
  await commit(folder, bytes);
  return folder;
}

async function commit(folder: string, bytes: number): Promise<void> {
  await writeFile(join(folder, `${bytes}.bin`), randomBytes(bytes));
  await git(folder, ['add', '.']);
  await git(folder, ['commit', '-qm', `${bytes} bytes`]);
}

function fileOf(bytes: number) {
  return { content: randomBytes(bytes).toString('base64'), message: 'Add' };
}

const used = async (person: Person) => (await person.get('/api/v1/user/quota')).body.used.size;

test('a push that exceeds the quota of the owner is rejected, and a smaller one is not', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await limit(forge.root, 'ada', { bytes: 300 * KIB, subjects: ['size:repos:private'] });
  const folder = await committed(t, 200 * KIB);
  const push = (...args: string[]) => git(folder, ['push', '-q', ada.remote('ada/engine'), ...args]);
  await push('main');
  assert.ok((await used(ada)).repos.private > 200 * KIB, 'a push counts at once');

  await commit(folder, 150 * KIB);
  await assert.rejects(push('main'), /the quota of the owner for size:repos:private has no room for this/);
  await git(folder, ['reset', '-q', '--hard', 'HEAD~1']);
  await commit(folder, 10 * KIB);
  await push('main');
});

test('a quota below the use denies growth, but no deletion and no ref to known commits', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await committed(t, 100 * KIB);
  const push = (...args: string[]) => git(folder, ['push', '-q', ada.remote('ada/engine'), ...args]);
  await push('main', 'main:old');
  await open(ada, 'One');
  const attachment = await attach(ada, `${ISSUES}/1/assets`, randomBytes(KIB), 'a.bin');
  await limit(forge.root, 'ada', { bytes: 10, subjects: ['size:all'] });

  assert.equal((await ada.post(`${ENGINE}/contents/a.txt`, fileOf(1))).status, 413);
  assert.equal((await uploadAttachment(ada, `${ISSUES}/1/assets`, Buffer.from('x'), 'b.txt')).status, 413);
  await push('main:same');
  await push(':old');
  assert.equal((await ada.delete(`${ENGINE}/branches/same`)).status, 204);
  assert.equal((await ada.delete(`${ISSUES}/1/assets/${attachment.id}`)).status, 204);
  assert.equal((await ada.delete(ENGINE)).status, 204);
  await ada.repository('engine');
  assert.equal(
    (await ada.post(`${ENGINE}/contents/a.txt`, fileOf(1))).status,
    413,
    'a commit has more than 10 bytes',
  );
  await forge.root.patch(`${RULES}/ada-limits-rule`, { limit: 100 * KIB });
  assert.equal((await ada.post(`${ENGINE}/contents/a.txt`, fileOf(1))).status, 201);
});

test('a commit that deletes files is growth, because their content stays in the history', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { content } = (await ada.post(`${ENGINE}/contents/a.txt`, fileOf(KIB))).body;
  await limit(forge.root, 'ada', { bytes: 10, subjects: ['size:all'] });

  const deleted = await ada.delete(`${ENGINE}/contents/a.txt`, { sha: content.sha, message: 'Delete' });
  assert.equal(deleted.status, 413, deleted.text);
  assert.equal((await ada.get(`${ENGINE}/contents/a.txt`)).status, 200);
});

test('a collaborator who meets the quota of an owner does not learn its figures', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await limit(forge.root, 'ada', { bytes: 1234, subjects: ['size:all'] });

  const { status, body } = await ben.post(`${ENGINE}/contents/a.txt`, fileOf(2 * KIB));
  assert.equal(status, 413);
  assert.match(body.message, /^the quota of the owner for size:all has no room for this/);
  assert.doesNotMatch(body.message, /[0-9]/);
});

test('changes of files, new repositories with files, and merges count as pushes do', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.post(`${ENGINE}/contents/a.txt`, { ...fileOf(1), new_branch: 'topic' });
  const pull = await ada.post(`${ENGINE}/pulls`, { title: 'A', base: 'main', head: 'topic' });
  await limit(forge.root, 'ada', { bytes: 0, subjects: ['size:repos:all'] });

  const changed = await ada.post(`${ENGINE}/contents/b.txt`, fileOf(1));
  assert.equal(changed.status, 413);
  assert.match(changed.body.message, /quota of the owner for size:repos:all has no room for this/);
  const made = await ada.post('/api/v1/user/repos', { name: 'full', auto_init: true });
  assert.equal(made.status, 413);
  assert.equal((await ada.get('/api/v1/repos/ada/full')).status, 404, 'nothing is left of it');
  const merge = await ada.post(`${ENGINE}/pulls/${pull.body.number}/merge`, { Do: 'merge' });
  assert.equal(merge.status, 413);
  assert.equal((await ada.post('/api/v1/user/repos', { name: 'empty' })).status, 201);
});

test('a fork counts for its owner as much as its parent', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  const folder = await committed(t, 100 * KIB);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  await limit(forge.root, 'ben', { bytes: 50 * KIB, subjects: ['size:repos:public'] });

  assert.equal((await ben.post(`${ENGINE}/forks`, {})).status, 413);
  assert.equal((await ben.get('/api/v1/repos/ben/engine')).status, 404);
  await forge.root.patch(`${RULES}/ben-limits-rule`, { limit: 200 * KIB });
  assert.equal((await ben.post(`${ENGINE}/forks`, {})).status, 202);
  assert.ok((await used(ben)).repos.public > 100 * KIB);
});

test('a repository is not transferred to an owner who has no room for it', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await limit(forge.root, 'ben', { bytes: 10, subjects: ['size:repos:all'] });
  await ada.post(`${ENGINE}/transfer`, { new_owner: 'ben' });
  assert.equal((await ben.post(`${ENGINE}/transfer/accept`, {})).status, 413);
  assert.equal((await ada.get(ENGINE)).body.owner.login, 'ada');
  await forge.root.patch(`${RULES}/ben-limits-rule`, { limit: 100 * KIB });
  assert.equal((await ben.post(`${ENGINE}/transfer/accept`, {})).status, 202);
});

test('large files and attachments have limits of their own', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  await limit(forge.root, 'ada', { bytes: KIB, subjects: ['size:git:lfs'] });
  await upload(ada, 'ada/engine', randomBytes(KIB));
  const { oid, size } = objectOf('x');
  const path = `/ada/engine/info/lfs/objects/${oid}/${size}`;
  assert.equal((await ada.send('PUT', path, { body: 'x' })).status, 413);
  await attach(ada, `${ISSUES}/1/assets`, randomBytes(KIB), 'a.bin');

  const subjects = ['size:assets:attachments:all'];
  await forge.root.patch(`${RULES}/ada-limits-rule`, { limit: KIB, subjects });
  assert.equal((await ada.send('PUT', path, { body: 'x' })).status, 200);
  const denied = await uploadAttachment(ada, `${ISSUES}/1/assets`, Buffer.from('x'), 'b.txt');
  assert.deepEqual(
    [denied.status, denied.body.message],
    [413, 'the owner of the repository has no room for this file'],
  );
});

test('what is in the repositories of an organization counts for the organization alone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await limit(forge.root, 'ada', { bytes: 0, subjects: ['size:all'] });
  const file = () => ada.post('/api/v1/repos/guild/loom/contents/a.txt', fileOf(KIB));
  assert.equal((await file()).status, 201);

  await limit(forge.root, 'guild', { bytes: 10, subjects: ['size:all'] });
  assert.equal((await ada.post('/api/v1/repos/guild/loom/contents/b.txt', fileOf(KIB))).status, 413);
  const { body } = await ada.get('/api/v1/orgs/guild/quota');
  assert.ok(body.used.size.repos.public > KIB);
  assert.deepEqual(body.groups, [{ rules: [{ limit: 10, subjects: ['size:all'] }] }]);
  assert.equal((await ada.get('/api/v1/orgs/guild/quota/check?subject=size:repos:public')).body, false);
  assert.equal((await used(ada)).repos.public, 0);
});

test('groups of the settings apply to owners who are in no group', async (t) => {
  const forge = await startForge(t, { settings: { quotaGroups: 'usual,missing' } });
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (const person of [ada, ben]) await person.repository('engine');
  await forge.root.post(GROUPS, {
    name: 'usual',
    rules: [{ name: 'none', limit: 0, subjects: ['size:all'] }],
  });
  await forge.root.post(GROUPS, { name: 'free' });
  await forge.root.put(`${GROUPS}/free/users/ben`);

  assert.equal((await ada.post(`${ENGINE}/contents/a.txt`, fileOf(1))).status, 413);
  assert.equal((await ben.post('/api/v1/repos/ben/engine/contents/a.txt', fileOf(1))).status, 201);
  assert.deepEqual((await ada.get('/api/v1/user/quota')).body.groups, [
    { rules: [{ limit: 0, subjects: ['size:all'] }] },
  ]);
});

test('a group replaces the limit of the server for what its rules cover', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const content = randomBytes(1024 * KIB + 1);
  const { oid, size } = objectOf(content);
  const path = `/ada/engine/info/lfs/objects/${oid}/${size}`;
  assert.equal((await ada.send('PUT', path, { body: content })).status, 413);
  await limit(forge.root, 'ada', { bytes: -1, subjects: ['size:git:lfs'] });
  assert.equal((await ada.send('PUT', path, { body: content })).status, 200);
});

test('a repository becomes public only within the quota for public ones, and private at any time', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const folder = await committed(t, 100 * KIB);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  await limit(forge.root, 'ada', { bytes: 50 * KIB, subjects: ['size:repos:public'] });

  const { status, text } = await ada.patch(ENGINE, { private: false, description: 'It hums' });
  assert.equal(status, 413, text);
  assert.match(text, /the quota of the owner for size:repos:public has no room for this/);
  const { body } = await ada.get(ENGINE);
  assert.deepEqual([body.private, body.description], [true, '']);
  await forge.root.patch(`${RULES}/ada-limits-rule`, { limit: 500 * KIB });
  assert.equal((await ada.patch(ENGINE, { private: false })).status, 200);

  await forge.root.patch(`${RULES}/ada-limits-rule`, { limit: 10, subjects: ['size:repos:all'] });
  assert.equal((await ada.patch(ENGINE, { private: true })).status, 200);
  assert.equal((await ada.patch(ENGINE, { private: false })).status, 200, 'the sum stays the same');
});
