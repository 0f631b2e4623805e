import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOM, startLoom } from '../../code/commits/history.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { settle } from './pulls.ts';

const PULLS = `${LOOM}/pulls`;
const LINES = 1_000_000;

const million = (word: string) => Array.from({ length: LINES }, (_, line) => `${line} ${word}\n`).join('');

test('a change of a million lines is counted, its other files have their lines, and its patch applies', async (t) => {
  const { forge, ada, ask, commit, push, folder } = await startLoom(t);
  await commit('Begin', { 'a.txt': 'one\n', 'large.txt': million('old'), 'z.txt': 'one\n' });
  await push('HEAD:main');
  const base = await ask('rev-parse', 'HEAD');
  const head = await commit('Change', { 'a.txt': 'two\n', 'large.txt': million('new'), 'z.txt': 'two\n' });
  await push('HEAD:work');
  const opened = await ada.post(PULLS, { title: 'Change', base: 'main', head: 'work' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);

  const pull = (await forge.get(`${PULLS}/1`)).body;
  assert.deepEqual([pull.changed_files, pull.additions, pull.deletions], [3, 2, 2]);
  assert.equal(pull.mergeable, true);
  const files = await forge.get(`${PULLS}/1/files`);
  assert.deepEqual(
    files.body.map(({ filename, status, changes }: Record<string, unknown>) => [filename, status, changes]),
    [
      ['a.txt', 'changed', 2],
      ['large.txt', 'changed', 0],
      ['z.txt', 'changed', 2],
    ],
  );
  const commits = await forge.get(`${PULLS}/1/commits`);
  assert.deepEqual([commits.status, commits.body[0].files.length, commits.body[0].stats.total], [200, 3, 4]);
  for (const path of [`${PULLS}/1`, `${LOOM}/git/commits/${head}`, '/ada/loom/compare/main...work']) {
    const diff = await forge.get(`${path}.diff`);
    assert.equal(diff.status, 200, diff.text);
    assert.match(diff.text, /^[^\n]*files of 512 KiB or more are not compared[^\n]*\ndiff --git /);
    assert.match(diff.text, /^Binary files a\/large\.txt and b\/large\.txt differ$/m);
    assert.equal(diff.text.match(/^-one\n\+two$/gm)?.length, 2);
    const patch = await forge.get(`${path}.patch`);
    assert.equal(patch.status, 200, patch.text);
    const copy = await temporaryFolder(t);
    await git(copy, ['clone', '-q', '--shared', folder, '.']);
    await git(copy, ['checkout', '-q', base]);
    assert.notEqual((await tryGit(copy, ['apply', '--index'], { input: diff.text })).exitCode, 0);
    await git(copy, ['am', '-q'], { input: patch.text });
    assert.equal(await git(copy, ['write-tree']), await ask('rev-parse', 'HEAD^{tree}'));
  }
});

test('a text that becomes too large only after its beginning leaves out the lines of large files, too', async (t) => {
  const { ada, forge, ask, commit, push, folder } = await startLoom(t);
  const some = (word: string) => `${word}\n`.repeat(50_000);
  await commit('Begin', { 'a.txt': some('one'), 'large.txt': million('old'), 'z.txt': 'one\n' });
  await push('HEAD:main');
  const base = await ask('rev-parse', 'HEAD');
  await commit('Change', { 'a.txt': some('two') });
  await commit('Change much', { 'large.txt': million('new'), 'z.txt': 'two\n' });
  await push('HEAD:work');
  const opened = await ada.post(PULLS, { title: 'Change', base: 'main', head: 'work' });
  assert.equal(opened.status, 201, opened.text);

  const diff = await forge.get(`${PULLS}/1.diff`);
  assert.equal(diff.status, 200);
  assert.match(
    diff.text.slice(0, 1000),
    /^[^\n]*files of 512 KiB or more are not compared[^\n]*\ndiff --git /,
  );
  assert.match(diff.text, /^Binary files a\/large\.txt and b\/large\.txt differ$/m);
  assert.match(diff.text.slice(-300), /^-one\n\+two$/m);
  const { status, text } = await forge.get(`${PULLS}/1.patch`);
  assert.equal(status, 200);
  const copy = await temporaryFolder(t);
  await git(copy, ['clone', '-q', '--shared', folder, '.']);
  await git(copy, ['checkout', '-q', base]);
  await git(copy, ['am', '-q'], { input: text });
  assert.equal(await git(copy, ['write-tree']), await ask('rev-parse', 'HEAD^{tree}'));
});

/** Returns lines, some of which are changed. */
const linesWith = (lines: readonly string[], changed: Readonly<Record<number, string>>) =>
  lines.map((line, index) => `${changed[index] ?? line}\n`).join('');

test('changes at both ends of a file of a million lines are merged', async (t) => {
  const { forge, ada, ask, commit, push } = await startLoom(t);
  const lines = Array.from({ length: LINES }, (_, line) => `${line + 1}`);
  const [one, other] = [
    { 0: 'first', [LINES - 1]: 'last' },
    { 100: 'second', [LINES - 100]: 'last but one' },
  ];
  await commit('Begin', { 'large.txt': linesWith(lines, {}) });
  await push('HEAD:work');
  await commit('Change the base', { 'large.txt': linesWith(lines, one) });
  await push('HEAD:main');
  await ask('checkout', '-q', 'HEAD~1');
  await commit('Change the head', { 'large.txt': linesWith(lines, other) });
  await push('HEAD:work');
  const opened = await ada.post(PULLS, { title: 'Change', base: 'main', head: 'work' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);

  assert.equal((await forge.get(`${PULLS}/1`)).body.mergeable, true);
  const merged = await ada.post(`${PULLS}/1/merge`, { Do: 'merge' });
  assert.equal(merged.status, 200, merged.text);
  const { text } = await forge.get(`${LOOM}/raw/large.txt?ref=main`);
  assert.ok(text === linesWith(lines, { ...one, ...other }));
});

test('a merge that takes too much memory is a conflict that says what to do', async (t) => {
  const { forge, ada, ask, commit, push } = await startLoom(t);
  // git estimates the number of lines from the first ones.
  const lines = [
    ...Array(500).fill(''),
    ...Array(400_000).fill('A line that is longer than the first ones.'),
  ];
  await commit('Begin', { 'large.txt': linesWith(lines, {}) });
  await push('HEAD:work');
  await commit('Change the base', { 'large.txt': linesWith(lines, { 0: 'first' }) });
  await push('HEAD:main');
  await ask('checkout', '-q', 'HEAD~1');
  await commit('Change the head', { 'large.txt': linesWith(lines, { 400000: 'last' }) });
  await push('HEAD:work');
  const opened = await ada.post(PULLS, { title: 'Change', base: 'main', head: 'work' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);

  assert.equal((await forge.get(`${PULLS}/1`)).body.mergeable, false);
  const asked = ['merge', 'squash', 'rebase', 'rebase-merge'].map(
    (style) => ['merge', { Do: style }] as const,
  );
  for (const [path, body] of [...asked, ['update', {}], ['update?style=rebase', {}]] as const) {
    const { status, text } = await ada.post(`${PULLS}/1/${path}`, body);
    assert.equal(status, 409, text);
    assert.match(text, /too much time or memory: merge in a clone and push the result/);
  }
  const head = await ask('rev-parse', 'HEAD');
  const picked = await ada.post(`${LOOM}/commits/${head}/cherry-pick`, { branch: 'main' });
  assert.equal(picked.status, 409, picked.text);
});
