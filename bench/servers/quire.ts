import { join } from 'node:path';
import type { ServerCommand } from './server-process.ts';

/** Set before the first start, so that the program need not parse the generated one. */
export const ADMINISTRATOR = { login: 'root', password: 'benchmark-of-this-run' } as const;

/**
 * Starts the server with the flag and the variables of `npm start`.
 *
 * @param folder holds its data and its log
 * @param nodeFlags flags for profiling; the results are not comparable with others
 */
export function quireCommand(folder: string, nodeFlags: readonly string[]): ServerCommand {
  const program = join(import.meta.dirname, '../../bin/main.mjs');
  return {
    args: [
      '--max-semi-space-size=8',
      ...nodeFlags,
      program,
      'serve',
      '--port',
      '0',
      '--data',
      join(folder, 'data'),
    ],
    environment: {
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      QUIRE_ADMIN_PASSWORD: ADMINISTRATOR.password,
    },
    logFile: join(folder, 'server.log'),
  };
}
