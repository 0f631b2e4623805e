import { join } from 'node:path';
import type { ServerCommand } from './server-process.ts';

/** Known before the first start, so that nothing has to be read off the screen. */
export const ADMINISTRATOR = { login: 'root', password: 'benchmark-of-this-run' } as const;

/**
 * The server as everybody starts it: with the flags of `npm start`.
 *
 * @param folder holds its data and its log
 * @param nodeFlags only where somebody looks for what costs time: results made so are not comparable
 */
export function quireCommand(folder: string, nodeFlags: readonly string[]): ServerCommand {
  const main = join(import.meta.dirname, '../../src/app/main.mjs');
  return {
    args: [
      '--max-semi-space-size=8',
      ...nodeFlags,
      main,
      'serve',
      '--port',
      '0',
      '--data',
      join(folder, 'data'),
    ],
    environment: { QUIRE_ADMIN_PASSWORD: ADMINISTRATOR.password },
    logFile: join(folder, 'server.log'),
  };
}
