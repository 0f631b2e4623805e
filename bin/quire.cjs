#!/usr/bin/env node
'use strict';

// Starts the program under a Node that can run it. This file is what npm links as `quire`, so it may be run by whatever
// Node the machine has: it keeps to what Node 12 understands.

// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const childProcess = require('child_process');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const os = require('os');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const path = require('path');

/** As `engines` in package.json has it. */
const MAJOR_WANTED = 24;
const MINOR_WANTED = 7;

const IS_WINDOWS = process.platform === 'win32';
/** The package that carries Node for this machine; they are optional dependencies. */
const NODE_PACKAGE = `node-${IS_WINDOWS ? 'win' : process.platform}-${process.arch}`;
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
/** A terminal sends these to both processes; passing them on would make them two. */
const SENT_BY_TERMINAL = ['SIGINT', 'SIGHUP', 'SIGQUIT'];

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > MAJOR_WANTED || (major === MAJOR_WANTED && minor >= MINOR_WANTED);
}

/** As in `npm start`: docs/decisions/0003-a-small-young-generation.md. */
const NODE_FLAGS = ['--max-semi-space-size=8'];

/** Path of a Node that is new enough, null where there is none. */
function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  try {
    return require.resolve(`${NODE_PACKAGE}/bin/node${IS_WINDOWS ? '.exe' : ''}`);
  } catch (_error) {
    return null;
  }
}

function fail(message) {
  process.stderr.write(`quire: ${message}\n`);
  process.exit(1);
}

function run(node) {
  const program = path.join(__dirname, '..', 'src', 'app', 'main.mjs');
  const child = childProcess.spawn(node, [...NODE_FLAGS, program, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of PASSED_ON) {
    const reachesBoth = process.stdin.isTTY && SENT_BY_TERMINAL.includes(signal);
    process.on(signal, () => reachesBoth || child.kill(signal));
  }
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    // The way a shell tells that a signal ended a program.
    process.exit(signal === null ? code : 128 + os.constants.signals[signal]);
  });
}

const node = findNode();
if (node === null) {
  fail(
    `needs Node ${MAJOR_WANTED}.${MINOR_WANTED} or newer. This is ${process.versions.node}, and the package ${NODE_PACKAGE}, which would bring one along, is not installed: install without --omit=optional, or install a newer Node.`,
  );
} else {
  run(node);
}
