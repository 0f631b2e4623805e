import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startForge } from '../support/forge/forge.ts';
import { commitAll, git, temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';
import type { Wire } from '../tracker/releases/release-world.ts';

const PROGRAM = join(ROOT, '.ci/clients/goreleaser/bin/goreleaser');
const skip = existsSync(PROGRAM) ? false : '".ci/install-clients" builds goreleaser if the machine has Go';

const LOOM = '/api/v1/repos/ada/loom';

test('goreleaser releases files, their checksums and the notes of a comparison, and adds to a release that exists', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  await ada.post(`${LOOM}/milestones`, { title: 'v1.0.0' });
  const folder = await temporaryFolder(t);
  const home = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main']);
  await git(folder, ['remote', 'add', 'origin', ada.remote('ada/loom')]);
  const config = {
    version: 2,
    project_name: 'loom',
    gitea_urls: { api: `${forge.url}/api/v1`, download: forge.url },
    builds: [{ skip: true }],
    source: { enabled: true },
    checksum: { extra_files: [{ glob: './loom.bin' }] },
    changelog: { use: 'gitea' },
    milestones: [{ close: true, repo: { owner: 'ada', name: 'loom' } }],
    release: {
      gitea: { owner: 'ada', name: 'loom' },
      extra_files: [{ glob: './loom.bin' }],
      prerelease: 'auto',
      mode: 'append',
    },
  };
  // YAML includes JSON.
  await writeFile(join(folder, '.goreleaser.yaml'), JSON.stringify(config));
  await writeFile(join(folder, '.gitignore'), 'dist/\n');
  await writeFile(join(folder, 'loom.bin'), 'binary');
  const release = async (message: string, tag: string) => {
    await writeFile(join(folder, 'log.txt'), message);
    await commitAll(folder, message);
    await git(folder, ['tag', tag]);
    await git(folder, ['push', '-q', 'origin', 'main', tag]);
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GITEA_TOKEN: ada.token,
      GIT_CONFIG_NOSYSTEM: '1',
    };
    const args = ['release', '--clean'];
    await promisify(execFile)(PROGRAM, args, { cwd: folder, env, timeout: 120_000 });
    return (await ada.get(`${LOOM}/releases/tags/${tag}`)).body;
  };

  const first = await release('Weave', 'v1.0.0');
  const names = first.assets.map(({ name }: Wire) => name).toSorted();
  assert.deepEqual(names, ['loom-1.0.0.tar.gz', 'loom.bin', 'loom_1.0.0_checksums.txt']);
  const download = (name: string) => forge.get(`/ada/loom/releases/download/v1.0.0/${name}`);
  const sum = createHash('sha256').update('binary').digest('hex');
  assert.match((await download('loom_1.0.0_checksums.txt')).text, new RegExp(`^${sum}  loom\\.bin$`, 'm'));
  assert.equal((await download('loom.bin')).text, 'binary');
  assert.deepEqual(
    (await ada.get(`${LOOM}/milestones?state=all`)).body.map(({ title, state }: Wire) => [title, state]),
    [['v1.0.0', 'closed']],
  );

  const draft = { tag_name: 'v1.1.0-rc.1', name: 'By hand', body: 'Read this first.', draft: true };
  assert.equal((await ada.post(`${LOOM}/releases`, draft)).status, 201);
  const second = await release('Dye the cloth', 'v1.1.0-rc.1');
  assert.deepEqual([second.draft, second.prerelease, second.assets.length], [false, true, 3]);
  assert.match(second.body, /^Read this first\.[\s\S]*Dye the cloth/);
  assert.equal((await ada.get(`${LOOM}/releases/latest`)).body.tag_name, 'v1.0.0');
});
