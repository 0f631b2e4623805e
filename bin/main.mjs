// Runs the program: its build if that is current, and its sources otherwise. An old Node says that it is old.
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
import { fileURLToPath } from 'url';
import nodeVersion from './node-version.cjs';
import sources from './sources.cjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const problem = nodeVersion.problemOf(process.versions.node);
if (problem === null) {
  import(sources.isBuildCurrent(ROOT) ? '../dist/main.mjs' : '../src/app/main.mjs');
} else {
  process.stderr.write(`quire: ${problem}\n`);
  process.exitCode = 1;
}
