import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Octokit } from '@octokit/rest';
import { startForge } from '../support/forge/forge.ts';

const LOOM = { owner: 'ada', repo: 'loom' };
const MAIN = { ...LOOM, ref: 'heads/main' };

test('Octokit makes commits from blobs, trees and refs, tags one and reads all of them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { rest } = new Octokit({ auth: ada.token, baseUrl: `${forge.url}/api/v1` });
  const picture = Buffer.from([0, 255, 1, 254]).toString('base64');

  const { data: head } = await rest.git.getRef(MAIN);
  const { data: parent } = await rest.git.getCommit({ ...LOOM, commit_sha: head.object.sha });
  const { data: blob } = await rest.git.createBlob({ ...LOOM, content: picture, encoding: 'base64' });
  const { data: tree } = await rest.git.createTree({
    ...LOOM,
    base_tree: parent.tree.sha,
    tree: [
      { path: 'media/picture.bin', mode: '100644', type: 'blob', sha: blob.sha },
      { path: 'docs/plan.md', mode: '100644', type: 'blob', content: '# Größe\n' },
      { path: 'README.md', mode: '100644', type: 'blob', sha: null },
    ],
  });
  const author = { name: 'Ada', email: 'ada@example.org', date: '2024-05-06T07:08:09Z' };
  const { data: commit } = await rest.git.createCommit({
    ...LOOM,
    message: 'Plan',
    tree: tree.sha,
    parents: [parent.sha],
    author,
  });
  const { data: moved } = await rest.git.updateRef({ ...MAIN, sha: commit.sha });

  assert.deepEqual([moved.ref, moved.object.sha], ['refs/heads/main', commit.sha]);
  assert.deepEqual([commit.author, commit.tree.sha, commit.parents[0]?.sha], [author, tree.sha, parent.sha]);
  const { data: listed } = await rest.git.getTree({ ...LOOM, tree_sha: commit.sha, recursive: 'true' });
  assert.deepEqual(
    listed.tree.map(({ path }) => path),
    ['docs', 'docs/plan.md', 'media', 'media/picture.bin'],
  );
  assert.equal((await rest.git.getBlob({ ...LOOM, file_sha: blob.sha })).data.content, picture);
  const tag = { ...LOOM, tag: 'v1', message: 'First', object: commit.sha, type: 'commit' as const };
  const { data: made } = await rest.git.createTag(tag);
  await rest.git.createRef({ ...LOOM, ref: 'refs/tags/v1', sha: made.sha });
  assert.equal((await rest.git.getTag({ ...LOOM, tag_sha: made.sha })).data.object.sha, commit.sha);
  await rest.git.createRef({ ...LOOM, ref: 'refs/heads/topic', sha: parent.sha });
  const { data: refs } = await rest.git.listMatchingRefs({ ...LOOM, ref: 'heads/' });
  assert.deepEqual(
    refs.map(({ ref }) => ref),
    ['refs/heads/main', 'refs/heads/topic'],
  );
  await rest.git.updateRef({ ...MAIN, sha: parent.sha, force: true });
  await rest.git.deleteRef({ ...LOOM, ref: 'heads/topic' });
  assert.equal((await rest.git.getRef(MAIN)).data.object.sha, parent.sha);
});

test('Octokit rejects with the status and the message of a request that cannot be done', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { rest } = new Octokit({ auth: ada.token, baseUrl: `${forge.url}/api/v1`, log: SILENT });
  const { data: head } = await rest.git.getRef(MAIN);
  const sha = head.object.sha;
  const refused = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => assert.fail('this should be rejected'),
      (thrown: unknown) => thrown as { status: number; message: string },
    );
    return [error.status, error.message.split(/:| \[| - /)[0]];
  };

  const { data: tree } = await rest.git.createTree({
    ...LOOM,
    tree: [{ path: 'a', mode: '100644', content: 'a' }],
  });
  const { data: aside } = await rest.git.createCommit({ ...LOOM, message: 'Aside', tree: tree.sha });
  assert.deepEqual(await refused(rest.git.updateRef({ ...MAIN, sha: aside.sha })), [
    422,
    'Update is not a fast forward',
  ]);
  assert.deepEqual(await refused(rest.git.createRef({ ...LOOM, ref: 'refs/heads/main', sha })), [
    422,
    'Reference already exists',
  ]);
  assert.deepEqual(await refused(rest.git.deleteRef({ ...LOOM, ref: 'heads/missing' })), [
    422,
    'Reference does not exist',
  ]);
  assert.equal((await refused(rest.git.getRef({ ...LOOM, ref: 'heads/missing' })))[0], 404);
});

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
