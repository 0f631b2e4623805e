import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('creating, changing, moving and deleting a file each add one commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const files = '/api/v1/repos/ada/engine/contents';

  const created = await ada.post(`${files}/docs/plan.md`, { content: base64('# Plan\n') });
  assert.equal(created.status, 201);
  assert.equal(created.body.content.path, 'docs/plan.md');
  assert.equal(created.body.content.content, base64('# Plan\n'));
  assert.equal(created.body.commit.message, 'Add docs/plan.md\n');
  assert.equal(created.body.content.last_commit_sha, created.body.commit.sha);

  const { sha } = created.body.content;
  const updated = await ada.put(`${files}/docs/plan.md`, {
    content: base64('# Plan 2\n'),
    sha,
    message: 'Think again',
  });
  assert.equal(updated.status, 200);
  assert.equal(updated.body.commit.message, 'Think again\n');
  assert.deepEqual(
    updated.body.commit.parents.map((parent: { sha: string }) => parent.sha),
    [created.body.commit.sha],
  );

  const moved = await ada.put(`${files}/plan.md`, {
    content: base64('# Plan 2\n'),
    sha: updated.body.content.sha,
    from_path: 'docs/plan.md',
  });
  assert.equal(moved.status, 200);
  assert.equal((await ada.get(`${files}/docs/plan.md`)).status, 404);
  assert.equal((await ada.get(`${files}/docs`)).status, 404);

  const deleted = await ada.delete(`${files}/plan.md`, { sha: moved.body.content.sha });
  assert.equal(deleted.status, 200);
  assert.equal(deleted.body.content, null);
  const root = await ada.get(files);
  assert.deepEqual(
    root.body.map((entry: { path: string }) => entry.path),
    ['README.md'],
  );
});
