'use strict';

// npm runs this file after "npm ci". It builds the program, so that it starts faster. Without a build, the sources run,
// so a failure is no failure of the installation.

// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const childProcess = require('child_process');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const path = require('path');
const { problemOf } = require('./node-version.cjs');
const { isBuildCurrent } = require('./sources.cjs');

const ROOT = path.join(__dirname, '..');

function build() {
  if (problemOf(process.versions.node) !== null) return 'this Node is too old';
  const { status, stderr } = childProcess.spawnSync(
    process.execPath,
    [path.join(ROOT, 'scripts', 'build.ts')],
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (status === 0) return null;
  // Of a report of Node, the line with the error is enough.
  const error = /^\S*Error\b.*/m.exec(stderr);
  return error === null ? stderr.trim() : error[0];
}

const problem = isBuildCurrent(ROOT) ? null : build();
if (problem !== null) {
  process.stderr.write(
    `Quire runs from its sources, which take longer to start, because there is no build: ${problem}\n`,
  );
}
