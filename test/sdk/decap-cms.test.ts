import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { base64, pushedRepository } from '../code/contents/files.ts';
import { startForge } from '../support/forge/forge.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const CMS = join(ROOT, '.ci/cms');
const skip = existsSync(join(CMS, 'node_modules')) ? false : '".ci/install-clients" installs the CMS';

interface ChangedFile {
  readonly path: string;
  readonly raw?: string;
  readonly newPath?: string;
  readonly toBase64?: () => Promise<string>;
}

/** The part of the CMS that reads and writes files over the API, as far as the test uses it. */
interface Backend {
  user(): Promise<{ login: string }>;
  hasWriteAccess(): Promise<boolean>;
  listFiles(path: string, options: { depth: number }): Promise<readonly { path: string; id: string }[]>;
  readFile(path: string): Promise<string>;
  persistFiles(
    entries: readonly ChangedFile[],
    media: readonly ChangedFile[],
    options: { commitMessage: string },
  ): Promise<{ commit: { message: string } }>;
  getFileSha(path: string): Promise<string>;
  changeFiles(operations: readonly object[], options: { commitMessage: string }): Promise<unknown>;
}

/** Loads the backend. Node cannot load the package as it is, because it is meant for bundlers. */
async function loadBackend(t: TestContext): Promise<new (config: object) => Backend> {
  const fromCms = createRequire(join(CMS, 'package.json'));
  const bundle = join(await temporaryFolder(t), 'backend.mjs');
  await fromCms('esbuild').build({
    entryPoints: [fromCms.resolve('decap-cms-backend-gitea/dist/esm/API.js')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    outfile: bundle,
  });
  return (await import(pathToFileURL(bundle).href)).default;
}

test('Decap CMS reads its entries, and saves, moves and deletes entries with their media', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'site', { 'posts/first.md': '# Größe\n', 'posts/old/deep.md': 'deep' });
  const Api = await loadBackend(t);
  const config = { apiRoot: `${forge.url}/api/v1`, token: ada.token, branch: 'main', repo: 'ada/site' };
  const cms = new Api(config);
  const paths = async () => (await cms.listFiles('posts', { depth: 3 })).map(({ path }) => path);

  assert.equal((await cms.user()).login, 'ada');
  assert.equal(await cms.hasWriteAccess(), true);
  assert.deepEqual(await paths(), ['posts/first.md', 'posts/old/deep.md']);
  assert.equal(await cms.readFile('posts/first.md'), '# Größe\n');

  const picture = Buffer.from([0, 255, 1, 254]);
  const saved = await cms.persistFiles(
    [
      { path: 'posts/first.md', raw: '# Changed\n' },
      { path: 'posts/second.md', raw: '# Second\n' },
      { path: 'posts/old/deep.md', newPath: 'posts/moved.md', raw: 'deep' },
    ],
    [{ path: '/media/picture.bin', toBase64: async () => base64(picture) }],
    { commitMessage: 'Save entries' },
  );
  assert.equal(saved.commit.message, 'Save entries\n');
  assert.deepEqual(await paths(), ['posts/first.md', 'posts/moved.md', 'posts/second.md']);
  assert.equal(await cms.readFile('posts/first.md'), '# Changed\n');
  const media = await fetch(`${forge.url}/api/v1/repos/ada/site/raw/media/picture.bin`);
  assert.ok(picture.equals(Buffer.from(await media.arrayBuffer())));

  const sha = await cms.getFileSha('posts/second.md');
  await cms.changeFiles([{ operation: 'delete', path: 'posts/second.md', sha }], { commitMessage: 'Remove' });
  assert.deepEqual(await paths(), ['posts/first.md', 'posts/moved.md']);
});
