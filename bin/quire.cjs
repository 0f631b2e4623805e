#!/usr/bin/env node
'use strict';

// Starts the program with a Node that can run it. npm links this file as `quire`, so any Node of the machine may run it:
// it uses only syntax that Node 12 understands.

// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const childProcess = require('child_process');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const os = require('os');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const path = require('path');
const { problemOf } = require('./node-version.cjs');

const IS_WINDOWS = process.platform === 'win32';
/** Name of the optional dependency that contains Node for this machine. */
const NODE_PACKAGE = nodePackage();
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
/** Signals that a terminal sends to both processes: the program would receive them twice if we passed them on. */
const SENT_BY_TERMINAL = ['SIGINT', 'SIGHUP', 'SIGQUIT'];

function nodePackage() {
  const platform = `${IS_WINDOWS ? 'win' : process.platform}-${process.arch}`;
  // Node for Apple silicon is published under another name.
  return platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`;
}

/** `parentCheckedEveryMs` of the throwaway server. */
const PARENT_CHECKED_EVERY_MS = 500;

/** The flag and the variables of `npm start` (bin/run.sh). */
const FLAG = '--max-semi-space-size=8';
const VARIABLES = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Returns the path of a Node that is new enough, or null. */
function findNode() {
  if (problemOf(process.versions.node) === null) return process.execPath;
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

/** The flag and the variables are for a server. Any other command ends soon, so it needs no process of its own. */
function runsHere(node) {
  return node === process.execPath && process.argv.length > 2 && !process.argv.includes('serve');
}

/** A throwaway server ends with the process that started it. Its own parent is this process. */
function endWithParent(child) {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), PARENT_CHECKED_EVERY_MS).unref();
}

function run(node) {
  if (runsHere(node)) {
    import('./main.mjs');
    return;
  }
  const program = path.join(__dirname, 'main.mjs');
  const child = childProcess.spawn(node, [FLAG, program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: Object.assign({}, VARIABLES, process.env),
  });
  for (const signal of PASSED_ON) {
    const reachesBoth = process.stdin.isTTY && SENT_BY_TERMINAL.includes(signal);
    process.on(signal, () => reachesBoth || child.kill(signal));
  }
  if (process.argv[2] === 'forge') endWithParent(child);
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    // The exit status that a shell reports when a signal ends a program.
    process.exit(signal === null ? code : 128 + os.constants.signals[signal]);
  });
}

const node = findNode();
if (node === null) {
  fail(problemOf(process.versions.node));
} else {
  run(node);
}
