import type { FastifyBaseLogger } from 'fastify';
import type { KeyOwners } from '../../keys/key-owners.ts';
import type { SshIdentities } from '../keys/identities.ts';
import type { SshCommands } from '../service.ts';
import { BridgeAnswers } from './answers.ts';
import { BridgeServer } from './bridge-server.ts';

interface Dependencies {
  readonly keyOwners: KeyOwners;
  readonly sshIdentities: SshIdentities;
  readonly sshCommands: SshCommands;
  readonly log: FastifyBaseLogger;
}

/** Starts to serve the system's OpenSSH. @param path of the socket. @throws the errors of `listen` */
export async function startBridge(
  { keyOwners, sshIdentities: identities, sshCommands: commands, log }: Dependencies,
  path: string,
): Promise<BridgeServer> {
  const answers = new BridgeAnswers({ keyOwners, identities });
  const server = new BridgeServer({ answers, commands, log });
  await server.listen(path);
  return server;
}
