import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file or folder that a module finds beside itself: `new URL('generated/table.json', import.meta.url)`. */
const REFERENCE = /new URL\('([^']+)', import\.meta\.url\)/g;

/** What modules of the product find beside themselves. Paths are relative to the root of the repository. */
export interface Scan {
  /** by its path, the text of each module that finds something, as it is in the build */
  readonly rewritten: ReadonlyMap<string, string>;
  /** programs of threads */
  readonly workers: ReadonlySet<string>;
  /** other files, and folders, whose paths end in a slash */
  readonly assets: ReadonlySet<string>;
}

/** Reads all modules of the product. All files of a build with code are in one folder, so each finds the same things. */
export function scan(root: string): Scan {
  const rewritten = new Map<string, string>();
  const workers = new Set<string>();
  const assets = new Set<string>();
  for (const name of globSync('{src,testing}/**/*.ts', { cwd: root })) {
    const text = readFileSync(path.join(root, name), 'utf8');
    if (!text.includes('import.meta') || name === PACKAGES) continue;
    const built = text.replaceAll(REFERENCE, (_all, reference: string) => {
      const found = path.posix.join(path.posix.dirname(name), reference);
      (found.endsWith('.ts') ? workers : assets).add(found);
      return `new URL('./${found.endsWith('.ts') ? `${entryName(found)}.mjs` : assetName(found)}', import.meta.url)`;
    });
    if (/import\.meta\.(?!url\))/.test(built))
      throw new Error(`${name} uses import.meta in a way that cannot be built`);
    rewritten.set(name, built);
  }
  return { rewritten, workers, assets };
}

/** The modules that a build replaces: those that find packages, and that keep compiled code. */
export const PACKAGES = 'src/base/core/native/packages.ts';
export const COMPILED_CODE = 'src/base/core/native/compiled-code.ts';

/** Name of the program of a thread in a build: `src/tracker/markdown/worker.ts` is `markdown-worker`. */
export function entryName(module: string): string {
  return module
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-');
}

/** Path of an asset in a build. */
export function assetName(asset: string): string {
  return `assets/${asset.replace(/^src\//, '')}`;
}
