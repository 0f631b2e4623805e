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

/** Returns a hash of the names and contents of all sources. Reading them takes about 10 ms; dates would be less safe. */
function hashOfSources(root) {
  const hash = crypto.createHash('sha256');
  for (const source of SOURCES) addPath(hash, root, source);
  return hash.digest('hex');
}

function addPath(hash, root, name) {
  const entry = path.join(root, name);
  const stats = fs.statSync(entry, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) {
    for (const child of fs.readdirSync(entry).sort()) addPath(hash, root, `${name}/${child}`);
    return;
  }
  const content = fs.readFileSync(entry);
  hash.update(`${name}\0${content.length}\0`).update(content);
}

/** Whether dist/ has a complete build of the present sources. An installed package has no sources, only their build. */
function isBuildCurrent(root) {
  if (!fs.existsSync(path.join(root, 'src'))) return true;
  const stamp = path.join(root, 'dist', STAMP);
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hashOfSources(root);
}

module.exports = { STAMP, hashOfSources, isBuildCurrent };
