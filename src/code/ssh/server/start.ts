import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '../../../base/core/sealing.ts';
import type { Database } from '../../../base/database/database.ts';
import { openHostKeys } from '../keys/host-keys.ts';
import type { SshIdentities } from '../keys/identities.ts';
import type { SshCommands } from '../service.ts';
import { SshServer } from './server.ts';

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly sshIdentities: SshIdentities;
  readonly sshCommands: SshCommands;
  readonly log: FastifyBaseLogger;
}

export interface RunningSsh {
  readonly server: SshServer;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the own SSH server. Loaded only if it is wanted, because the library takes a while to load.
 *
 * @throws SealError, and the errors of `listen`
 */
export async function startSshServer(
  { database, sealer, sshIdentities: identities, sshCommands: commands, log }: Dependencies,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<RunningSsh> {
  const hostKeys = await openHostKeys({ database, sealer });
  const server = new SshServer({ identities, commands, hostKeys, log });
  const listening = await server.listen(port, host);
  return { server, port: listening, stop: () => server.stop() };
}
