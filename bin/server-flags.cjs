'use strict';

// The flags with which Node runs a server. Its syntax is that of Node 12, like that of all files in this folder.
// bin/run.sh and deploy/Dockerfile repeat these flags.

/** docs/decisions/0003-a-small-young-generation.md */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=8';
/** docs/decisions/0047-return-the-memory-of-threads.md */
const NO_MEMORY_POOL = ['--no-memory-pool', '--no-memory-pool-share-memory-on-teardown'];
/** Older ones do not know the flags of the memory pool, and would not start. */
const POOL_NODE_MAJOR = 26;

/** Returns the flags for a Node of a version, such as `26.10.0`. */
function flagsOf(version) {
  return Number.parseInt(version, 10) < POOL_NODE_MAJOR
    ? [SMALL_YOUNG_GENERATION]
    : [SMALL_YOUNG_GENERATION].concat(NO_MEMORY_POOL);
}

module.exports = { flagsOf };
