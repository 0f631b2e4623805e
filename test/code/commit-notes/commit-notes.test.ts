import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { endJobs, watchProcesses } from '../../support/git/started-processes.ts';
import { pushedRepository } from '../contents/files.ts';

const LOOM = '/api/v1/repos/ada/loom';
const NOTES = `${LOOM}/git/notes`;
const NOTES_REF = 'refs/notes/commits';

async function startLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pushed = await pushedRepository(t, ada, 'loom', { 'a.txt': 'a\n' });
  const { folder } = pushed;
  const second = await commitAll(folder, 'Second');
  await pushed.push('main');
  const remote = ada.remote('ada/loom');
  const fetchNotes = () => git(folder, ['fetch', '-q', remote, `+${NOTES_REF}:${NOTES_REF}`]);
  const shown = async (commit: string) => {
    await fetchNotes();
    return git(folder, ['notes', 'show', commit]);
  };
  return { forge, ada, first: pushed.commit, second, shown, fetchNotes, ...pushed };
}

test('a note on a commit is set, read, replaced and removed, as git shows it', async (t) => {
  const { ada, folder, first, second, shown, fetchNotes } = await startLoom(t);

  const set = await ada.post(`${NOTES}/${first}`, { message: 'Größe\nzwei' });
  assert.deepEqual([set.status, set.body.message], [200, 'Größe\nzwei\n']);
  assert.equal(set.body.commit.commit.message, "Notes added by 'git notes add'\n");
  assert.equal(set.body.commit.author.login, 'ada');
  assert.equal(await shown(first), 'Größe\nzwei');
  assert.deepEqual((await ada.get(`${NOTES}/${first}`)).body, set.body);
  await ada.post(`${NOTES}/main`, { message: 'second\n\n' });
  assert.equal(await shown(second), 'second');
  await ada.post(`${NOTES}/${first}`, { message: 'other' });
  assert.equal(await shown(first), 'other');
  assert.equal((await ada.delete(`${NOTES}/${first}`)).status, 204);
  assert.equal((await ada.get(`${NOTES}/${first}`)).status, 404);
  assert.equal((await ada.delete(`${NOTES}/${first}`)).status, 404);
  await fetchNotes();
  assert.match(await git(folder, ['notes', 'list']), new RegExp(`^[0-9a-f]{40} ${second}$`));
});

test('notes that git has written are read, also from folders, and new ones join them', async (t) => {
  const { ada, folder, first, second, push, shown } = await startLoom(t);
  await git(folder, ['notes', 'add', '-m', 'by git', second]);
  const blob = await git(folder, ['rev-parse', `${NOTES_REF}:${second}`]);
  const pair = second.slice(0, 2);
  const inner = await git(folder, ['mktree'], { input: `100644 blob ${blob}\t${second.slice(2)}\n` });
  const crowd = Array.from({ length: 300 }, (_, at) => {
    return `100644 blob ${blob}\tf${at.toString(16).padStart(39, '0')}\n`;
  });
  const tree = await git(folder, ['mktree'], { input: `040000 tree ${inner}\t${pair}\n${crowd.join('')}` });
  const commit = await git(folder, ['commit-tree', tree, '-p', NOTES_REF, '-m', 'Split']);
  await push(`${commit}:${NOTES_REF}`);

  const read = await ada.get(`${NOTES}/${second}`);
  assert.deepEqual([read.status, read.body.message, read.body.commit.sha], [200, 'by git\n', commit]);
  await ada.post(`${NOTES}/${second}`, { message: 'changed' });
  await ada.post(`${NOTES}/${first}`, { message: 'in a folder' });
  assert.equal(await shown(second), 'changed');
  assert.equal(await shown(first), 'in a folder');
  const at = first.startsWith(pair) ? `${pair}/${first.slice(2)}` : `${first.slice(0, 2)}/${first.slice(2)}`;
  assert.equal(await git(folder, ['cat-file', '-t', `${NOTES_REF}:${at}`]), 'blob');
});

test('notes have ETags, which depend on what is asked for and guard changes', async (t) => {
  const { forge, ada, first } = await startLoom(t);
  await ada.post(`${NOTES}/${first}`, { message: 'one' });
  const tagOf = async (query = '') => (await ada.get(`${NOTES}/${first}${query}`)).headers.get('etag') ?? '';
  const tag = await tagOf();
  assert.notEqual(await tagOf('?files=false'), tag);

  await endJobs(forge);
  const started = watchProcesses(t);
  const known = await ada.get(`${NOTES}/${first}`, { headers: { 'if-none-match': tag } });
  assert.deepEqual([known.status, started()], [304, []]);
  const plain = (await ada.get(`${NOTES}/${first}?files=false&verification=false`)).body.commit;
  assert.deepEqual([plain.files, plain.commit.verification], [null, null]);
  const send = (method: string, json: unknown, match: string) =>
    ada.send(method, `${NOTES}/${first}`, { json, headers: { 'if-match': match } });
  assert.equal((await send('POST', { message: 'two' }, '"x"')).status, 412);
  assert.equal((await send('POST', { message: 'two' }, tag)).status, 200);
  assert.equal((await send('DELETE', undefined, tag)).status, 412);
  assert.equal((await send('DELETE', undefined, await tagOf())).status, 204);
});

test('bad names, missing commits and texts without content are rejected, and readers change nothing', async (t) => {
  const { forge, ada, first } = await startLoom(t);
  const grace = await forge.account('grace');
  const post = async (name: string, json: unknown) => (await ada.post(`${NOTES}/${name}`, json)).status;

  for (const name of ['main~1', 'a..b', '@%7Bu%7D']) {
    assert.equal((await ada.get(`${NOTES}/${name}`)).status, 422, name);
    assert.equal(await post(name, { message: 'x' }), 422, name);
  }
  for (const name of ['1'.repeat(40), 'nothing', 'ffff']) {
    assert.equal((await ada.get(`${NOTES}/${name}`)).status, 404, name);
    assert.equal(await post(name, { message: 'x' }), 404, name);
  }
  for (const message of ['', ' \n', undefined, 1, '\ud83d'])
    assert.equal(await post(first, { message }), 422, String(message));
  assert.equal((await grace.post(`${NOTES}/${first}`, { message: 'x' })).status, 403);
  assert.equal((await grace.delete(`${NOTES}/${first}`)).status, 403);
  await ada.patch(LOOM, { archived: true });
  assert.equal(await post(first, { message: 'x' }), 423);
});

test('of notes that many callers write at once, none is lost', async (t) => {
  const { ada, folder, push, fetchNotes } = await startLoom(t);
  const commits = [];
  for (let at = 0; at < 5; at += 1) commits.push(await commitAll(folder, `Commit ${at}`));
  await push('main');

  const set = await Promise.all(
    commits.map((commit) => ada.post(`${NOTES}/${commit}`, { message: `on ${commit}` })),
  );

  assert.deepEqual(
    set.map(({ status }) => status),
    commits.map(() => 200),
  );
  await fetchNotes();
  for (const commit of commits) assert.equal(await git(folder, ['notes', 'show', commit]), `on ${commit}`);
});
