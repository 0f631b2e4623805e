import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';

const PROGRAM = join(ROOT, '.ci/clients/forgejo-cli/bin/fj');
const skip = existsSync(PROGRAM) ? false : '".ci/install-clients" builds forgejo-cli if the machine has Rust';

const LOOM = '/api/v1/repos/ada/loom';

test('forgejo-cli works through the lives of two pull requests, one of a branch and one of a push', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  await ada.repository('loom', { auto_init: true });
  await ada.post(`${LOOM}/labels`, { name: 'cloth', color: 'fff' });
  await ada.post(`${LOOM}/contents/weft.md`, { content: 'YQo=', new_branch: 'weft', message: 'Add a weft' });
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
