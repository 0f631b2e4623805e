import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import sources from '../../bin/sources.cjs';
import { UI_FILES } from '../../src/api/document/ui-files.ts';
import { LICENSES } from '../../src/hosting/templates/licenses.ts';
import { inlinedFiles } from './inlined-files.ts';
import { licensesOf } from './licenses.ts';
import { modulesOfNode } from './modules-of-node.ts';
import { assetName, COMPILED_CODE, entryName, PACKAGES, type Scan, scan } from './scan.ts';
import { writeScripts } from './scripts.ts';
import { withoutUnusedParts } from './unused-parts.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The oldest supported Node. */
const TARGET = 'node24.7';

/** Packages that `loadPackage` loads, and whether they are CommonJS. */
const LATE_PACKAGES = { pg: true, yaml: true, 'typebox/compile': false, 'fast-json-stringify': true };
const LATE = 'late:';

/** The text of modules that a build replaces, by their paths. `load.cjs` is the `loader`. */
const BUILT: ReadonlyMap<string, string> = new Map([
  [
    PACKAGES,
    `import { fileURLToPath } from 'node:url';
export function loadPackage(name) {
  const loaded = loader.load('late-' + name.replaceAll('/', '-') + '.cjs');
  return loaded['module.exports'] ?? loaded;
}
export function packageFolder(name) {
  return fileURLToPath(new URL('./packages/' + name, import.meta.url));
}`,
  ],
  [COMPILED_CODE, 'export function keepCompiledCode() { loader.keepCompiledCode(); }'],
]);

/**
 * Builds the product into a folder, which it first empties. The folder needs nothing outside of it.
 *
 * @throws Error if the sources change meanwhile; the folder then counts as no build
 */
export async function bundle(folder: string): Promise<void> {
  // Loaded here, because a machine may lack it. Then the sources run.
  const { build } = await import('esbuild');
  // Before the hash: a change after it is then certain to be noticed.
  const states = sources.statesOfSources(ROOT);
  const hash = sources.hashOfSources(ROOT);
  const scanned = scan(ROOT);
  rmSync(folder, { recursive: true, force: true });
  const programs = programsOf(scanned);
  const built = await build(optionsOf(folder, scanned, programs));
  mkdirSync(folder, { recursive: true });
  await writeScripts(folder, built, Object.keys(programs));
  copyAssets(folder, scanned);
  copyPackageFiles(folder);
  writeFileSync(path.join(folder, 'third-party-licenses.txt'), licensesOf(ROOT, packagesIn(built.metafile)));
  // Without the code of a start, which takes git, a build is complete, and starts more slowly.
  spawnSync(process.execPath, [path.join(folder, 'compile.mjs')], { stdio: 'ignore' });
  if (sources.hashOfSources(ROOT) !== hash)
    throw new Error('the sources changed during the build: build again');
  writeFileSync(path.join(folder, sources.STATES), states);
  writeFileSync(path.join(folder, sources.STAMP), hash);
}

/** Paths of the modules that a process or a thread begins with, or that other projects import, by name. */
function programsOf({ workers }: Scan): Readonly<Record<string, string>> {
  return {
    main: 'src/app/main.mjs',
    index: 'src/app/library.ts',
    testing: 'testing/published.ts',
    ...Object.fromEntries([...workers].map((worker) => [entryName(worker), worker])),
  };
}

function optionsOf(folder: string, scanned: Scan, programs: Readonly<Record<string, string>>) {
  const late = Object.keys(LATE_PACKAGES).map((name) => [`late-${name.replaceAll('/', '-')}`, LATE + name]);
  return {
    absWorkingDir: ROOT,
    entryPoints: { ...programs, ...Object.fromEntries(late) },
    outdir: folder,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    // Names and lines stay, for stack traces. Without comments the files are ASCII, which takes half the memory.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    // An add-on that pg does without.
    external: ['pg-native'],
    metafile: true,
    logLevel: 'warning',
    // A mistake in a package (asn1), in a function that the program does not call.
    logOverride: { 'suspicious-boolean-not': 'silent' },
    plugins: [ownPlaces(scanned), latePackages(), inlinedFiles(), withoutUnusedParts(), modulesOfNode()],
  } as const satisfies BuildOptions;
}

/** Modules find in the build what they find beside themselves. */
function ownPlaces({ rewritten }: Scan): Plugin {
  return {
    name: 'own-places',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const name = path.relative(ROOT, file).replaceAll('\\', '/');
        const contents = BUILT.get(name) ?? rewritten.get(name);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}

/** Each late package is a module of its own, which `require` can load. */
function latePackages(): Plugin {
  return {
    name: 'late-packages',
    setup(build) {
      build.onResolve({ filter: /^late:/ }, (found) => ({
        path: found.path.slice(LATE.length),
        namespace: 'late',
      }));
      build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path: name }) => ({
        contents: LATE_PACKAGES[name as keyof typeof LATE_PACKAGES]
          ? `import loaded from '${name}'; const whole = loaded; export { whole as 'module.exports' };`
          : `export * from '${name}';`,
        resolveDir: ROOT,
      }));
    },
  };
}

function copyAssets(folder: string, { assets }: Scan): void {
  for (const asset of assets)
    cpSync(path.join(ROOT, asset), path.join(folder, assetName(asset)), { recursive: true });
}

function copyPackageFiles(folder: string): void {
  const files = {
    'swagger-ui-dist': [...UI_FILES.keys()],
    'spdx-license-list': LICENSES.names.map((name) => `licenses/${name}.json`),
    '@cwasm/jpeg-turbo': ['jpeg-turbo.wasm'],
    '@cwasm/webp': ['webp.wasm'],
  };
  for (const [name, each] of Object.entries(files)) {
    for (const file of each) {
      const copy = path.join(folder, 'packages', name, file);
      mkdirSync(path.dirname(copy), { recursive: true });
      cpSync(path.join(ROOT, 'node_modules', name, file), copy);
    }
  }
}

/** Folders of the packages whose code or files are in the build. */
function packagesIn({ inputs }: Metafile): readonly string[] {
  const folders = Object.keys(inputs).map(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0],
  );
  return [
    ...new Set([
      ...folders.filter((found) => found !== undefined),
      ...['swagger-ui-dist', '@cwasm/jpeg-turbo', '@cwasm/webp'].map((name) => `node_modules/${name}`),
    ]),
  ].sort();
}
