import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// npm runs this program before and after "npm pack". The build contains all packages that it uses, so those who install
// the package need none of them, only Node. npm can leave dependencies out of a package only by their absence from
// package.json.

const ROOT = path.resolve(import.meta.dirname, '..');
const MANIFEST = path.join(ROOT, 'package.json');
/** The manifest of the repository while the package is made. It remains only if that fails. */
const ORIGINAL = path.join(ROOT, 'package.json.original');
const NODE = /^node-/;

async function before(): Promise<void> {
  restore();
  const { bundle } = await import('./build/bundle.ts');
  const { writeDeclarations } = await import('./build/declarations.ts');
  const dist = path.join(ROOT, 'dist');
  await bundle(dist);
  writeDeclarations(path.join(ROOT, 'src/app/library.ts'), dist, 'index');
  writeDeclarations(path.join(ROOT, 'testing/published.ts'), dist, 'testing');
  copyFileSync(MANIFEST, ORIGINAL);
  writeFileSync(MANIFEST, publishedManifest(readFileSync(ORIGINAL, 'utf8')));
}

function publishedManifest(original: string): string {
  const {
    scripts: _scripts,
    dependencies: _dependencies,
    devDependencies: _forUs,
    ...manifest
  } = JSON.parse(original);
  const optional = Object.entries(manifest.optionalDependencies).filter(([name]) => NODE.test(name));
  const { allowScripts: _allowed, ...published } = {
    ...manifest,
    optionalDependencies: Object.fromEntries(optional),
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

function restore(): void {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}

if (process.argv[2] === 'after') restore();
else await before();
