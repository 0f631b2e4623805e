'use strict';

// Loads the scripts of a build. Each is a module that esbuild has made CommonJS, in the folder of this file.
//
// Node keeps compiled code of modules, too, but as it is when they have just been compiled: without the functions that V8
// compiles at their first call. A start calls thousands. Here the code is kept when the server is ready
// (docs/decisions/0044-code-that-is-compiled-already.md).

const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const v8 = require('node:v8');
const vm = require('node:vm');

/** Compiled code, by the name of its script. V8 accepts it only from the same version with the same flags. */
const CODE = path.join(__dirname, 'code', `${process.platform}-${process.arch}-${v8.cachedDataVersionTag()}`);

/** Exports of the loaded scripts, by the names of their files. */
const loaded = new Map();
/** Scripts without compiled code that V8 accepts, by the same names. */
const compiledAnew = new Map();

/** Runs a script if it has not run yet, and returns what it exports. */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const file = path.join(__dirname, name);
  const script = compile(name, file);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(
    module.exports,
    requireFrom(file),
    module,
    __dirname,
    pathToFileURL(file).href,
    loader,
  );
  return module.exports;
}

function compile(name, file) {
  // esbuild writes ASCII. Packages that build paths for other systems need `__dirname` when they load.
  const text = `(function (exports, require, module, __dirname, moduleUrl, loader) {${fs.readFileSync(file, 'latin1')}\n})`;
  const cachedData = compiledCodeOf(name);
  const script = new vm.Script(text, { filename: file, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) compiledAnew.set(name, script);
  return script;
}

function compiledCodeOf(name) {
  try {
    return fs.readFileSync(path.join(CODE, name));
  } catch {
    return undefined;
  }
}

function requireFrom(file) {
  const ofNode = createRequire(file);
  return (name) => (name.startsWith('./') ? load(path.basename(name)) : ofNode(name));
}

/**
 * Keeps the compiled code of the loaded scripts, unless the build has it already. Does nothing if the folder of the build
 * cannot be written to: then each start compiles anew.
 */
function keepCompiledCode() {
  try {
    for (const [name, script] of compiledAnew) {
      makeReadableFolders();
      writeReadableFile(path.join(CODE, name), script.createCachedData());
    }
  } catch {
    // The next start is only slower.
  }
  compiledAnew.clear();
}

// A server hides its files from other users, but may run as another user than the one who has built it.

function makeReadableFolders() {
  if (fs.existsSync(CODE)) return;
  fs.mkdirSync(CODE, { recursive: true });
  for (const folder of [path.dirname(CODE), CODE]) fs.chmodSync(folder, 0o755);
}

/** V8 does not notice if a part of the code is missing in the middle, so the code is on the disk before it has its name. */
function writeReadableFile(file, bytes) {
  const fresh = `${file}.${process.pid}`;
  fs.writeFileSync(fresh, bytes, { flush: true });
  fs.chmodSync(fresh, 0o644);
  fs.renameSync(fresh, file);
}

const loader = { load, keepCompiledCode };
module.exports = loader;
