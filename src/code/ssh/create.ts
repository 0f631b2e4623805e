import type { FileLocks } from '../../hosting/lfs/locks.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { KeyOwners } from '../keys/key-owners.ts';
import type { Transport } from '../transport/service.ts';
import { SshIdentities } from './keys/identities.ts';
import { SshCommands } from './service.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly repositories: Repositories;
  readonly largeFiles: LargeFiles;
  readonly fileLocks: FileLocks;
  readonly keyOwners: KeyOwners;
  readonly transport: Transport;
  readonly addresses: Addresses;
  readonly version: string;
  readonly sshAuthorities: readonly Buffer[];
}

export function createSsh(dependencies: Dependencies) {
  const { authentication, keyOwners, accounts, sshAuthorities: authorities } = dependencies;
  authentication.registerKeyOwners((keyId) => keyOwners.accountOf(keyId));
  const sshIdentities = new SshIdentities({ keyOwners, accounts, authorities });
  const sshCommands = new SshCommands(dependencies);
  return { services: { sshIdentities, sshCommands } };
}
