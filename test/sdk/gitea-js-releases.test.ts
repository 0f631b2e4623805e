import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startForge } from '../support/forge/forge.ts';

test('gitea-js drafts a release, adds a file to it, publishes it and deletes it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { repos } = giteaApi(forge.url, { token: ada.token });
  const wanted = { tag_name: 'v1.0', name: 'First', body: 'It turns.', draft: true };

  const { data: draft } = await repos.repoCreateRelease('ada', 'engine', wanted);
  const id = draft.id ?? 0;
  const attachment = new File(['steam'], 'pump.bin');
  const { data: asset } = await repos.repoCreateReleaseAttachment('ada', 'engine', id, { attachment });
  assert.deepEqual([asset.name, asset.size], ['pump.bin', 5]);
  await repos.repoEditReleaseAttachment('ada', 'engine', id, asset.id ?? 0, { name: 'engine.bin' });
  const { data: published } = await repos.repoEditRelease('ada', 'engine', id, { draft: false });
  assert.deepEqual([published.draft, published.assets?.[0]?.name], [false, 'engine.bin']);
  const { data: latest } = await repos.repoGetLatestRelease('ada', 'engine');
  assert.deepEqual([latest.id, latest.author?.login], [id, 'ada']);
  const { data: byTag } = await repos.repoGetReleaseByTag('ada', 'engine', 'v1.0');
  assert.equal(byTag.body, 'It turns.');
  const { data: listed } = await repos.repoListReleases('ada', 'engine', {
    draft: false,
    'pre-release': false,
  });
  assert.deepEqual(
    listed.map(({ tag_name: tag }) => tag),
    ['v1.0'],
  );
  const { data: assets } = await repos.repoListReleaseAttachments('ada', 'engine', id);
  assert.equal(assets.length, 1);
  await repos.repoDeleteReleaseAttachment('ada', 'engine', id, asset.id ?? 0);
  await repos.repoDeleteRelease('ada', 'engine', id);
  await assert.rejects(
    repos.repoGetRelease('ada', 'engine', id),
    (error: { status?: number }) => error.status === 404,
  );
});
