import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const VERSION: string = manifest.version;

/**
 * Version of the forge API, followed by that of the program as build metadata. Clients compare the first part with the
 * version that introduced a route or a field, and reject a version that is older than 1.11.
 */
export const API_VERSION = `1.25.0+quire-${VERSION}`;
