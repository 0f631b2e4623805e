import { notFound } from '../base/core/failure.ts';
import type { Accounts } from '../people/accounts/service.ts';
import type { Tokens } from '../people/tokens/service.ts';
import { timeOf } from './times.ts';

/** Creates a token for an account and prints it. The database stores only its hash. */
export async function createToken(
  { accounts, tokens, print }: { accounts: Accounts; tokens: Tokens; print: (line: string) => void },
  wanted: { account: string; name: string; scopes: string; expires?: string },
): Promise<void> {
  const owner = await accounts.findByName(wanted.account);
  if (owner === undefined) throw notFound('account', { say: `there is no account ${wanted.account}` });
  const scopes = wanted.scopes.split(',').map((scope) => scope.trim());
  const expiresAt = timeOf('expires', wanted.expires);
  const made = await tokens.createFor(owner, { name: wanted.name, scopes, expiresAt });
  print(made.token);
}
