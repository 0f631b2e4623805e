import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { OAuthGrants } from '../oauth-grants/service.ts';
import type { SecondFactorSettings } from '../second-factor/model.ts';
import type { Passkeys } from '../second-factor/passkeys.ts';
import type { SecondFactors } from '../second-factor/service.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { BrowserSignIn } from './browser-sign-in.ts';
import { OwnPassword } from './own-password.ts';
import { ownPasswordRoutes } from './routes.ts';
import { Authentication } from './service.ts';
import type { SignInSettings } from './settings.ts';
import { TransferTokens } from './transfer-tokens.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  /** of this server */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly secondFactorSettings: SecondFactorSettings;
  readonly signInSettings: SignInSettings;
  readonly oauthGrants: OAuthGrants;
}

export function createAuthentication(dependencies: Dependencies) {
  const {
    database,
    addresses,
    secret,
    accounts,
    tokens,
    sessions,
    secondFactors,
    passkeys,
    secondFactorSettings,
    signInSettings,
    oauthGrants,
  } = dependencies;
  const transferTokens = new TransferTokens(secret);
  const authentication = new Authentication({
    database,
    accounts,
    tokens,
    sessions,
    secondFactors,
    secondFactorSettings,
    oauthGrants,
    transferTokens,
    addresses,
    signInSettings,
  });
  const ownPassword = new OwnPassword({ database, accounts, tokens, authentication });
  const browserSignIn = new BrowserSignIn({
    database,
    secret,
    accounts,
    authentication,
    ownPassword,
    sessions,
    secondFactors,
    passkeys,
  });
  return {
    services: { authentication, transferTokens, ownPassword, browserSignIn },
    routes: { api: (app: App) => ownPasswordRoutes(app, { accounts, ownPassword, addresses }) },
  };
}
