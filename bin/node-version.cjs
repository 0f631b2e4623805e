'use strict';

// The one place that knows which Node runs the program. Written for Node 12, so that an old one can say that it is old.

const OLDEST_MAJOR = 24;
const OLDEST_MINOR = 7;

/** Returns what to do if this version of Node is too old; null if it is not. */
function problemOf(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR)) return null;
  return `needs Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer, but this is ${version}: install a newer one, or run "npm ci" without --omit=optional, which installs one for npm start`;
}

module.exports = { problemOf };
