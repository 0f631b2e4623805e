import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { quire } from './quire.ts';

test('quire audit lists and exports entries, also those of the command line', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const run = (...words: string[]) => quire(t, [...words, ...forge.flags]);
  const token = await run('token', 'create', 'ada', '--name', 'ci', '--expires', '2999-01-31');
  assert.equal(token.code, 0, token.output);
  await forge.forge.running.services.authentication.waitForWrites();

  const listed = await run('audit', 'list', '--target', 'ci');
  const exported = await run('audit', 'export', '--actor', 'ada');
  const none = await run('audit', 'export', '--since', '2999-01-01T00:00:00Z');

  assert.match(listed.output, /^\d{4}-\d\d-\d\dT[\d:.]+Z\ttoken\.created\tcommand-line\ttoken ci\t-\n$/);
  const entries = exported.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { body } = await forge.root.get('/api/v1/admin/audit?actor=ada');
  assert.deepEqual(entries, body.entries.toReversed());
  assert.ok(entries.some(({ action }) => action === 'repository.created'));
  assert.deepEqual(none, { code: 0, output: '' });
  const [created] = (await forge.root.get('/api/v1/admin/audit?target=ci')).body.entries;
  assert.deepEqual(created.actor, { kind: 'command-line', id: null, login: null });
  assert.deepEqual([created.credential, created.address], [null, null]);
  assert.equal(created.details.expires_at, '2999-01-31T00:00:00Z');
  assert.ok(!JSON.stringify(body).includes(token.output.trim()));
});

test('quire audit rejects malformed conditions in one line', async (t) => {
  const forge = await startForge(t);
  for (const words of [
    ['list', '--since', 'yesterday'],
    ['list', '--limit', '0'],
    ['list', '--limit', '100000'],
    ['export', '--until', '2026-13-01'],
  ]) {
    const { code, output } = await quire(t, ['audit', ...words, ...forge.flags]);
    assert.equal(code, 1, words.join(' '));
    assert.match(output, /^quire: --(?:since|limit|until) must be [^\n]*\n$/, words.join(' '));
  }
});
