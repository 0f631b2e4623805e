import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type pg from 'pg';
import type * as typeboxCompile from 'typebox/compile';
import type * as yaml from 'yaml';

// Access to packages at run time, besides imports. The build replaces this file (scripts/build/bundle.ts): the new one
// finds the same packages in the folder of the build. So no other file of the product may look for packages.

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
 * Loads a package when it is first needed. Asynchronous code can use `await import()` instead. For a CommonJS package
 * it must use `default`, because a build exports no other names of it.
 */
export function loadPackage<Name extends keyof LatePackages>(name: Name): LatePackages[Name] {
  return require(name);
}

/** Packages from which the product reads files. */
type PackageWithFiles = 'swagger-ui-dist' | 'spdx-license-list' | '@cwasm/jpeg-turbo' | '@cwasm/webp';

/** Returns the folder of an installed package. */
export function packageFolder(name: PackageWithFiles): string {
  return dirname(require.resolve(`${name}/package.json`));
}
