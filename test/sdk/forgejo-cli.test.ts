import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';

const PROGRAM = join(ROOT, '.ci/clients/forgejo-cli/bin/fj');
const skip = existsSync(PROGRAM) ? false : '".ci/install-clients" builds forgejo-cli if the machine has Rust';

const LOOM = '/api/v1/repos/ada/loom';

/** Clones the repository `loom` of a user, and signs forgejo-cli in as the user. */
async function startClient(t: TestContext, forge: TestForge, ada: Person) {
  const home = await temporaryFolder(t);
  const url = new URL('/ada/loom.git', forge.url);
  [url.username, url.password] = ['ada', ada.token];
  const clone = join(home, 'loom');
  await git(home, ['clone', '-q', url.href, clone]);
  const fj = async (...args: readonly string[]) => {
    const running = promisify(execFile)(PROGRAM, ['--style', 'minimal', '--host', forge.url, ...args], {
      cwd: clone,
      env: { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
      timeout: 60_000,
    });
    // It asks whether it may change the settings of the clone. The end of its input is a no.
    running.child.stdin?.end();
    return (await running).stdout;
  };

  await fj('auth', 'add-token', ada.token);
  return { fj, clone };
}

test('forgejo-cli works through the lives of two pull requests, one of a branch and one of a push', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  await ada.repository('loom', { auto_init: true });
  await ada.post(`${LOOM}/labels`, { name: 'cloth', color: 'fff' });
  await ada.post(`${LOOM}/contents/weft.md`, { content: 'YQo=', new_branch: 'weft', message: 'Add a weft' });
  const { fj, clone } = await startClient(t, forge, ada);

  await fj('pr', 'create', '--base', 'main', '--head', 'weft', '--body', 'It holds.', 'Add the weft');
  await fj('pr', 'edit', '1', 'title', 'Weave the weft');
  await fj('pr', 'edit', '1', 'labels', '--add', 'cloth');
  await fj('pr', 'assign', '--pr', '1', 'ada');
  await fj('pr', 'comment', '1', 'Well woven.');
  await fj('pr', 'review', '1', 'request', 'ben');
  assert.match(
    await fj('pr', 'search', '--labels', 'cloth', '--assignee', 'ada'),
    /^1 pull request\n#1: Weave the weft/,
  );
  assert.match(await fj('pr', 'view', '1'), /It holds\.[\s\S]*1 comments/);
  assert.match(await fj('pr', 'view', '1', 'comments'), /Well woven\./);
  assert.match(await fj('pr', 'view', '1', 'diff'), /^\+a$/m);
  assert.match(await fj('pr', 'view', '1', 'files'), /\+1 -0 weft\.md/);
  assert.match(await fj('pr', 'view', '1', 'commits'), /Add a weft/);
  const { head, requested_reviewers: requested } = (await ada.get(`${LOOM}/pulls/1`)).body;
  assert.equal(requested[0].login, 'ben');
  await ada.post(`${LOOM}/statuses/${head.sha}`, { state: 'success', context: 'shuttle' });
  assert.match(await fj('pr', 'status', '1'), /shuttle/);
  await fj('pr', 'checkout', '1');
  assert.equal(await git(clone, ['rev-parse', 'HEAD']), head.sha);
  await fj(
    'pr',
    'merge',
    '1',
    '--method',
    'squash',
    '--delete',
    '--title',
    'Weave',
    '--message',
    'All of it.',
  );
  assert.equal((await ada.get(`${LOOM}/pulls/1`)).body.merged, true);
  assert.equal((await ada.get(`${LOOM}/branches/main`)).body.commit.message.split('\n')[0], 'Weave');
  assert.equal((await ada.get(`${LOOM}/branches/weft`)).status, 404);

  await fj('pr', 'create', '--agit', '--base', 'main', '--body', 'By a push.', 'Warp it');
  await fj('pr', 'close', '2', '--with-msg', 'Not now.');
  assert.match(await fj('pr', 'view', '2'), /^Warp it #2\nBy ada — Closed/);
  assert.match(await fj('pr', 'search', '--state', 'closed'), /^2 pull requests/);
});

test('forgejo-cli drafts a release with files, publishes it, downloads from it and deletes it', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { fj, clone } = await startClient(t, forge, ada);
  const releases = `${LOOM}/releases`;
  await writeFile(join(clone, 'cloth.bin'), '\u0000cloth');

  await fj(
    'release',
    'create',
    'First cloth',
    '--create-tag=v1.0',
    '--attach=cloth.bin:linen.bin',
    '--body',
    'Soft.',
    '--draft',
  );
  const [draft] = (await ada.get(releases)).body;
  assert.deepEqual([draft.draft, draft.assets[0].name, draft.body], [true, 'linen.bin', 'Soft.']);
  await fj('release', 'edit', 'First cloth', '--draft', 'false', '--prerelease', 'true');
  await fj('release', 'asset', 'create', 'First cloth', 'cloth.bin', 'wool.bin');
  assert.match(await fj('release', 'list', '--include-prerelease'), /First cloth/);
  const view = await fj('release', 'view', 'First cloth');
  for (const shown of ['Soft.', 'linen.bin', 'wool.bin']) assert.ok(view.includes(shown), view);
  await fj('release', 'asset', 'download', 'First cloth', 'wool.bin', '--output', 'copy.bin');
  assert.equal(await readFile(join(clone, 'copy.bin'), 'utf8'), '\u0000cloth');
  await fj('release', 'asset', 'delete', 'First cloth', 'linen.bin');
  const { assets } = (await ada.get(`${releases}/tags/v1.0`)).body;
  assert.deepEqual(
    assets.map(({ name }: { name: string }) => name),
    ['wool.bin'],
  );
  await fj('release', 'delete', 'First cloth');
  assert.deepEqual((await ada.get(releases)).body, []);
  assert.equal((await ada.get(`${LOOM}/tags/v1.0`)).status, 200);
});
