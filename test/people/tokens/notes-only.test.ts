import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAUTH_PROTOCOL } from '../../../src/people/oauth/actions.ts';
import { pathOf } from '../../api/access/probe.ts';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API } from '../../support/forge/notes.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

test('A4: a token for notes only is denied on every route but those that notes apps need', async (t) => {
  const forge = await startForge(t);
  const token = await forge.root.tokenFor(['all', 'notes-only']);
  const { statedRoutes } = forge.forge.running.app;
  const others = statedRoutes.filter(
    ({ action, method }) =>
      // Where a program sends its own credentials, a token is nothing.
      action.forNotes !== true && action !== OAUTH_PROTOCOL.exchange && method !== 'HEAD',
  );

  const granted = [];
  for (const { method, url } of others) {
    const { status } = await forge.send(method, pathOf(url, {}), { as: { token } });
    if (status !== 403) granted.push(`${method} ${url}: ${status}`);
  }

  assert.ok(others.length > 200);
  assert.deepEqual(granted, []);
  const allowed = statedRoutes.filter(({ action }) => action.forNotes === true);
  assert.deepEqual([...new Set(allowed.map(({ action }) => action.name))].sort(), [
    'app-password.read-own',
    'app-password.request',
    'app-password.revoke',
    'note.read',
    'note.write',
    'server.describe',
  ]);
});

test('a token for notes only', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const token = await ada.tokenFor(['write:repository', 'read:user', 'notes-only']);
  const as = { token };
  const notes = `${NOTES_API}/v1/notes`;

  await t.test('begins a notebook, and writes and reads its notes', async () => {
    const created = await forge.send('POST', notes, { as, json: { title: 'n', content: 'x' } });
    assert.equal(created.status, 200);
    const listed = await forge.send('GET', notes, { as: { name: 'ada', password: token } });
    assert.deepEqual(listed.body, [created.body]);
  });

  await t.test('does not choose where the notes are, which would lead to other repositories', async () => {
    const settings = `${NOTES_API}/v1/settings`;
    for (const notesPath of ['engine', '@ada/engine', '', 'Notes/sub']) {
      const answer = await forge.send('PUT', settings, { as, json: { notesPath } });
      assert.equal(answer.status, 403, notesPath);
    }
    const same = await forge.send('PUT', settings, { as, json: { notesPath: 'Notes', fileSuffix: '.txt' } });
    assert.deepEqual([same.status, same.body.fileSuffix], [200, '.txt']);
  });

  await t.test('neither clones nor pushes, not even the notebook', async () => {
    const folder = await temporaryFolder(t);
    const url = new URL(`${forge.url}/ada/Notes.git`);
    Object.assign(url, { username: 'ada', password: token });
    await assert.rejects(git(folder, ['clone', '-q', url.href, '.']), /403|notes only/);
  });

  await t.test('is read-only with the scope for reading', async () => {
    const reader = { token: await ada.tokenFor(['read:repository', 'notes-only']) };
    assert.equal((await forge.send('GET', notes, { as: reader })).status, 200);
    assert.equal((await forge.send('POST', notes, { as: reader, json: {} })).status, 403);
    const bare = { token: await ada.tokenFor(['notes-only']) };
    assert.equal((await forge.send('GET', notes, { as: bare })).status, 403);
  });

  await t.test('of an administrator has no more rights', async () => {
    const root = { token: await forge.root.tokenFor(['all', 'notes-only']) };
    const answer = await forge.send('GET', `${NOTES_API}/v1/notes`, { as: root, headers: { sudo: 'ada' } });
    assert.deepEqual(answer.body, []);
    assert.equal((await forge.send('GET', '/api/v1/admin/users', { as: root })).status, 403);
  });
});
