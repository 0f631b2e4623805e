'use strict';

// Says whether the build in dist/ is of the present sources. Its syntax is that of Node 12, like that of all files in
// this folder.

// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const crypto = require('crypto');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const fs = require('fs');
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
const path = require('path');

/** Everything from which a build is made. The last one names the version of every installed package. */
const SOURCES = ['src', 'testing', 'scripts/build', 'package.json', 'node_modules/.package-lock.json'];
/** The file of a build with the hash of its sources. Writing it ends a build. */
const STAMP = 'sources.sha256';
/** The file of a build with a hash of what the file system says about its sources. */
const STATES = 'source-files.sha256';

/** Returns a hash of the names and contents of all sources. Reading them takes about 15 ms. */
function hashOfSources(root) {
  return hashOf(root, (hash, entry, name) => {
    const content = fs.readFileSync(entry);
    hash.update(`${name}\0${content.length}\0`).update(content);
  });
}

/**
 * Returns a hash of the names, inodes, sizes and dates of all sources. As long as it is the same, so are the sources: each
 * change of a file or of its dates sets the date of its last change of state to the present. Takes a third of the time.
 */
function statesOfSources(root) {
  return hashOf(root, (hash, entry, name) => {
    const { ino, size, mtimeMs, ctimeMs } = fs.statSync(entry);
    hash.update(`${name}\0${ino} ${size} ${mtimeMs} ${ctimeMs}\0`);
  });
}

function hashOf(root, addFile) {
  const hash = crypto.createHash('sha256');
  for (const source of SOURCES) {
    const stats = fs.statSync(path.join(root, source), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.isDirectory()) addFolder(hash, root, source, addFile);
    else addFile(hash, path.join(root, source), source);
  }
  return hash.digest('hex');
}

function addFolder(hash, root, name, addFile) {
  const entries = fs.readdirSync(path.join(root, name), { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const child = `${name}/${entry.name}`;
    if (entry.isDirectory()) addFolder(hash, root, child, addFile);
    else addFile(hash, path.join(root, child), child);
  }
}

/** Whether dist/ has a complete build of the present sources. An installed package has no sources, only their build. */
function isBuildCurrent(root) {
  if (!fs.existsSync(path.join(root, 'src'))) return true;
  const hash = textOf(path.join(root, 'dist', STAMP));
  if (hash === null) return false;
  return textOf(path.join(root, 'dist', STATES)) === statesOfSources(root) || hash === hashOfSources(root);
}

function textOf(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
}

module.exports = { STAMP, STATES, hashOfSources, statesOfSources, isBuildCurrent };
