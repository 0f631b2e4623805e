import { closeSync, openSync } from 'node:fs';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { NO_REPOSITORY } from '../../../src/git/folders/repository-layout.ts';
import { runGit } from '../../../src/git/processes/child.ts';

// Starts git while all descriptors of this process are in use, and again when they are free.

const version = () => runGit({ args: ['version'], gitDir: NO_REPOSITORY }, { slots: null });

// Finds git, and loads all modules.
await version();
const files: number[] = [];
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch {
  // There are no more.
}
const error: unknown = await version().catch((reason) => reason);
for (const file of files) closeSync(file);
const { stdout } = await version();
const { failure, cause } = error instanceof ForgeError ? error : { failure: String(error), cause: undefined };
const { code } = (cause ?? {}) as { code?: string };
process.stdout.write(JSON.stringify({ failure, code, version: stdout.toString().slice(0, 11) }));
