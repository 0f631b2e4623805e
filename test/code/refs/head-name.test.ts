import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { base64, pushedRepository } from '../contents/files.ts';

const ENGINE = '/api/v1/repos/ada/engine';

test('HEAD names the default branch wherever a name of a ref is read', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit, push } = await pushedRepository(t, ada, 'engine', {
    'docs/a.txt': 'a',
    '.editorconfig': '[*]\n',
  });
  await push('main:trunk');
  await ada.patch(ENGINE, { default_branch: 'trunk' });
  await ada.post(`${ENGINE}/contents/new.txt`, { content: base64('new'), branch: 'trunk' });
  const tip = (await ada.get(`${ENGINE}/branches/trunk`)).body.commit.id;
  assert.notEqual(tip, commit);

  for (const path of [
    'contents/new.txt?ref=HEAD',
    'contents?ref=HEAD',
    'raw/new.txt?ref=HEAD',
    'raw/HEAD/new.txt',
    'media/new.txt?ref=HEAD',
    'editorconfig/new.txt?ref=HEAD',
    'archive/HEAD.tar.gz',
    'git/commits/HEAD',
    'git/commits/HEAD.diff',
    'git/trees/HEAD',
    'commits/HEAD/status',
    'commits/HEAD/statuses',
    'contents-ext?ref=HEAD',
  ]) {
    const { status, text } = await forge.get(`${ENGINE}/${path}`);
    assert.equal(status, 200, `${path} ${text}`);
  }
  for (const path of ['/ada/engine/src/branch/HEAD/new.txt', '/ada/engine/raw/branch/HEAD/new.txt'])
    assert.equal((await forge.get(path)).status, 200, path);
  assert.equal((await forge.get(`${ENGINE}/commits?sha=HEAD`)).body[0].sha, tip);
  assert.equal((await forge.get(`${ENGINE}/commits?not=HEAD&sha=main`)).body.length, 0);
  assert.equal((await forge.get(`${ENGINE}/compare/main...HEAD`)).body.total_commits, 1);
  assert.equal((await forge.get(`${ENGINE}/compare/HEAD...main`)).body.total_commits, 0);

  const branch = async (from: object) => (await ada.post(`${ENGINE}/branches`, from)).body.commit?.id;
  assert.equal(await branch({ new_branch_name: 'one', old_branch_name: 'HEAD' }), tip);
  assert.equal(await branch({ new_branch_name: 'two', old_ref_name: 'HEAD' }), tip);
  const tag = await ada.post(`${ENGINE}/tags`, { tag_name: 'v1', target: 'HEAD' });
  assert.equal(tag.body.commit?.sha, tip, tag.text);
  assert.equal((await ada.post(`${ENGINE}/statuses/HEAD`, { state: 'success' })).status, 201);
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: 'HEAD' })).status, 422);
  assert.equal((await ada.post(`${ENGINE}/tags`, { tag_name: 'HEAD' })).status, 422);
});

test('HEAD of an empty repository names nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.deepEqual((await ada.get(`${ENGINE}/contents?ref=HEAD`)).body, []);
  for (const path of ['raw/a?ref=HEAD', 'archive/HEAD.zip', 'git/trees/HEAD'])
    assert.equal((await ada.get(`${ENGINE}/${path}`)).status, 404, path);
});
