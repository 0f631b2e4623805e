import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { attach, upload } from '../tracker/issues/attachments/attachment-files.ts';
import { ISSUES, open } from '../tracker/issues/tracker.ts';

const SETTINGS = '/api/v1/settings';

test('clients find out what the server limits and switches off', async (t) => {
  const forge = await startForge(t);
  assert.deepEqual((await forge.get(`${SETTINGS}/attachment`)).body, {
    enabled: true,
    allowed_types: '*',
    max_size: 512,
    max_files: 100,
  });
  assert.deepEqual((await forge.get(`${SETTINGS}/repository`)).body, {
    forks_disabled: false,
    http_git_disabled: false,
    lfs_disabled: false,
    migrations_disabled: false,
    mirrors_disabled: false,
    stars_disabled: false,
    time_tracking_disabled: false,
  });
  const { body } = await forge.get(`${SETTINGS}/ui`);
  assert.deepEqual([body.custom_emojis, body.default_theme], [[], 'quire']);
});

test('a server without git-lfs says so', async (t) => {
  const forge = await startForge(t, { settings: { lfs: 'false' } });
  assert.equal((await forge.get(`${SETTINGS}/repository`)).body.lfs_disabled, true);
});

test('the server accepts the reactions that it lists, and attachments of any type', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  const { allowed_reactions: reactions } = (await forge.get(`${SETTINGS}/ui`)).body;
  assert.equal(reactions.length, 8);
  for (const content of reactions)
    assert.equal((await ada.post(`${ISSUES}/1/reactions`, { content })).status, 201, content);
  await attach(ada, `${ISSUES}/1/assets`, Buffer.from([0, 1, 2]), 'a.unheard-of');
  assert.equal((await upload(ada, `${ISSUES}/1/assets`, Buffer.from('x'), 'none')).status, 201);
});
