import type { Database } from '../../base/database/database.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Authentication } from '../authentication/service.ts';
import type { Passkeys } from '../second-factor/passkeys.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Teams } from '../teams/service.ts';
import { Identities } from './identities.ts';
import type { ProviderSettings } from './model.ts';
import { ExternalSignIn } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly outbound: OutboundClient;
  readonly addresses: Addresses;
  /** of this server */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly teams: Teams;
  readonly signInProviders: readonly ProviderSettings[];
}

export function createExternal(dependencies: Dependencies) {
  const identities = new Identities(dependencies);
  const externalSignIn = new ExternalSignIn({ ...dependencies, identities });
  return { services: { externalIdentities: identities, externalSignIn } };
}
