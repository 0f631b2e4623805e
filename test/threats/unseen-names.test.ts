import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasUnseen } from '../../src/core/text.ts';
import { pushedRepository } from '../contents/files.ts';
import { startForge } from '../support/forge.ts';
import { git, tryGit } from '../support/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const UNSEEN = [
  'pay\u202eexe',
  'ma\u200bin',
  'a\u2066b',
  'x\u00ady',
  '\ufeffx',
  'x\u200dy',
  '\u200cx',
  'a\u{e0041}',
];
const SEEN = [
  'größe',
  '日本語',
  'نامه\u200cای',
  'क्\u200dष',
  '👩\u200d💻',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
  'e\u0301',
  'ok❤️',
];

test('C1: new names that people read hold no invisible characters and no marks of direction', async (t) => {
  for (const name of UNSEEN) assert.equal(hasUnseen(name), true, JSON.stringify(name));
  for (const name of SEEN) assert.equal(hasUnseen(name), false, JSON.stringify(name));

  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { a: 'a' });
  const remote = ada.remote('ada/engine');
  for (const name of UNSEEN) {
    const pushed = await tryGit(folder, ['push', remote, `main:refs/heads/${name}`]);
    assert.notEqual(pushed.exitCode, 0, name);
    assert.match(pushed.stderr, /invisible characters/);
    const made = [
      await ada.post(`${ENGINE}/branches`, { new_branch_name: name }),
      await ada.post(`${ENGINE}/tags`, { tag_name: name }),
      await ada.post(`${ENGINE}/contents/${encodeURIComponent('f')}`, { content: '', new_branch: name }),
      await ada.post(`${ENGINE}/labels`, { name: `l${name}l`, color: '#000000' }),
      await ada.post(`${ENGINE}/milestones`, { title: `l${name}l` }),
      await ada.patch('/api/v1/user/settings', { full_name: `l${name}l` }),
      await ada.post('/api/v1/orgs', { username: 'guild', full_name: `l${name}l` }),
    ];
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([422]), JSON.stringify(name));
  }
  for (const name of SEEN) await git(folder, ['push', '-q', remote, `main:refs/heads/${name}`]);
  assert.equal((await ada.get(`${ENGINE}/branches`)).body.length, SEEN.length + 1);
});
