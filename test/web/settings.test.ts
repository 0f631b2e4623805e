import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../src/tracker/issues/limits.ts';
import { REACTIONS } from '../../src/tracker/issues/models/reactions.ts';
import { startForge } from '../support/forge/forge.ts';
import { ISSUES, open } from '../tracker/issues/tracker.ts';

test('the settings of attachments are the limits of files of an issue or a comment', async (t) => {
  const forge = await startForge(t);
  const { status, body } = await forge.get('/api/v1/settings/attachment');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    enabled: true,
    allowed_types: '*',
    max_size: ISSUE_LIMITS.issueAttachmentBytesMax / 1024 / 1024,
    max_files: ISSUE_LIMITS.issueAttachmentsMax,
  });
});

test('the settings of repositories say what is switched off: nothing but, on request, large files', async (t) => {
  const on = {
    forks_disabled: false,
    http_git_disabled: false,
    lfs_disabled: false,
    migrations_disabled: false,
    mirrors_disabled: false,
    stars_disabled: false,
    time_tracking_disabled: false,
  };
  const forge = await startForge(t);
  assert.deepEqual((await forge.get('/api/v1/settings/repository')).body, on);
  const without = await startForge(t, { settings: { lfs: 'false' } });
  assert.deepEqual((await without.get('/api/v1/settings/repository')).body, { ...on, lfs_disabled: true });
});

test('the settings of pages have the reactions that people can give', async (t) => {
  const forge = await startForge(t);
  const { body } = await forge.get('/api/v1/settings/ui');
  assert.deepEqual(body, {
    allowed_reactions: [...REACTIONS],
    custom_emojis: [],
    default_theme: 'quire',
  });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  for (const content of body.allowed_reactions)
    assert.equal((await ada.post(`${ISSUES}/1/reactions`, { content })).status, 201, content);
  assert.equal((await ada.post(`${ISSUES}/1/reactions`, { content: 'quire' })).status, 403);
});
