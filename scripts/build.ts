import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './build/bundle.ts';

// Builds the product into dist/, or into the folder that the first argument names: `npm run build`. `npm ci` does it, too.

const [, , argument] = process.argv;
const target = argument === undefined ? path.resolve(import.meta.dirname, '../dist') : path.resolve(argument);
// Beside the target, so that it can take its place in one step.
const fresh = `${target}.${process.pid}`;
const former = `${fresh}.former`;

const startedAt = performance.now();
try {
  await bundle(fresh);
  if (existsSync(target)) renameSync(target, former);
  renameSync(fresh, target);
} finally {
  for (const folder of [fresh, former]) rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`built ${target} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
