import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startForge } from '../support/forge/forge.ts';
import { commitAll, git, temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';
import type { Wire } from '../tracker/releases/release-world.ts';

const MODULES = join(ROOT, '.ci/semantic-release/node_modules');
const PROGRAM = join(MODULES, 'semantic-release/bin/semantic-release.js');
const skip = existsSync(PROGRAM) ? false : '".ci/install-clients" installs semantic-release';

const LOOM = '/api/v1/repos/ada/loom';
/** Room for one run on a busy machine. */
const RUN_MS_MAX = 120_000;

test('semantic-release tags a version, and publishes its notes and files with the plugin for this family', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const folder = await temporaryFolder(t);
  const home = await temporaryFolder(t);
  const remote = ada.remote('ada/loom');
  await git(folder, ['init', '-q', '-b', 'main']);
  await git(folder, ['remote', 'add', 'origin', remote]);
  const plugin = (name: string) => join(MODULES, name);
  const config = {
    branches: ['main', { name: 'next', prerelease: true }],
    repositoryUrl: remote,
    plugins: [
      plugin('@semantic-release/commit-analyzer'),
      plugin('@semantic-release/release-notes-generator'),
      [
        plugin('@saithodev/semantic-release-gitea'),
        {
          giteaUrl: forge.url,
          assets: [{ path: 'dist/*.txt' }, { path: 'loom.bin', label: 'loom of ada.bin' }],
        },
      ],
    ],
  };
  await writeFile(join(folder, '.releaserc.json'), JSON.stringify(config));
  await git(folder, ['config', 'core.hooksPath', '/dev/null']);
  await writeFile(join(folder, 'loom.bin'), 'binary');
  const run = async () => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GITEA_TOKEN: ada.token,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
    };
    const args = [PROGRAM, '--no-ci'];
    return promisify(execFile)(process.execPath, args, { cwd: folder, env, timeout: RUN_MS_MAX });
  };
  const commit = async (message: string, branch = 'main') => {
    await commitAll(folder, message);
    await git(folder, ['push', '-q', 'origin', branch]);
  };

  await commit('feat: weave');
  await run();
  const first = (await ada.get(`${LOOM}/releases/latest`)).body;
  assert.deepEqual([first.tag_name, first.draft, first.prerelease], ['v1.0.0', false, false]);
  assert.match(first.body, /### Features[\s\S]*weave/);
  assert.deepEqual(
    first.assets.map(({ name, size }: Wire) => [name, size]),
    [['loom of ada.bin', 6]],
  );
  const file = await forge.get(new URL(first.assets[0].browser_download_url).pathname);
  assert.deepEqual([file.status, file.text], [200, 'binary']);
  const { id: tagged } = (await ada.get(`${LOOM}/tags/v1.0.0`)).body;
  assert.equal(tagged, (await ada.get(`${LOOM}/branches/main`)).body.commit.id);

  await commit('fix: untangle');
  await run();
  assert.equal((await ada.get(`${LOOM}/releases/latest`)).body.tag_name, 'v1.0.1');
  await git(folder, ['checkout', '-q', '-b', 'next']);
  await commit('feat: dye', 'next');
  await run();
  const [newest, ...others] = (await ada.get(`${LOOM}/releases`)).body;
  assert.deepEqual([newest.tag_name, newest.prerelease], ['v1.1.0-next.1', true]);
  assert.equal(others.length, 2);
  assert.equal((await ada.get(`${LOOM}/releases/latest`)).body.tag_name, 'v1.0.1');
});
