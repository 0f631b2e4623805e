import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type pg from 'pg';
import type * as typeboxCompile from 'typebox/compile';
import type * as yaml from 'yaml';

// Access to packages at run time, besides imports. The build replaces this file by one that finds the same things in its
// own folder (scripts/build/bundle.ts), so no other file of the product looks for packages.

const require = createRequire(import.meta.url);

/** Packages that a server loads only when it needs them, in the middle of synchronous code. */
interface LatePackages {
  readonly pg: typeof pg;
  readonly yaml: typeof yaml;
  readonly 'typebox/compile': typeof typeboxCompile;
  readonly 'fast-json-stringify': (
    shape: object,
    options: {
      readonly schema: Readonly<Record<string, object>>;
      readonly ajv: { readonly formats: Readonly<Record<string, true>> };
    },
  ) => (answer: unknown) => string;
}

/**
 * Loads a package when it is first needed. Where the code may wait, `await import()` does the same; of a
 * CommonJS package only with `default`, because a build has no other names of it.
 */
export function loadPackage<Name extends keyof LatePackages>(name: Name): LatePackages[Name] {
  return require(name);
}

/** Packages from which the product reads files. */
type PackageWithFiles = 'swagger-ui-dist' | 'spdx-license-list';

/** Returns the folder of an installed package. */
export function packageFolder(name: PackageWithFiles): string {
  return dirname(require.resolve(`${name}/package.json`));
}
