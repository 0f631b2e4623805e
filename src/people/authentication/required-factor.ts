import { ForgeError } from '../../base/core/failure.ts';
import type { Addresses } from '../../http/app.ts';
import { SECURITY_PATH } from '../../http/errors/web.ts';
import type { SignInState } from '../accounts/model.ts';
import { NO_REQUIREMENT, type SecondFactorSettings } from '../second-factor/model.ts';

/**
 * Requires a second factor where the operator or an organization does. Tokens go on working: they are no password, and
 * programs cannot set up a second factor.
 *
 * @throws ForgeError `forbidden`
 */
export function requireSetUp(
  { isAdmin, hasSecondFactor, needsSecondFactor }: SignInState,
  server: { readonly secondFactorSettings?: SecondFactorSettings; readonly addresses: Addresses },
): void {
  const { requiredOf } = server.secondFactorSettings ?? NO_REQUIREMENT;
  const isOfOperator = requiredOf === 'all' || (requiredOf === 'administrators' && isAdmin);
  if (hasSecondFactor || !(isOfOperator || needsSecondFactor)) return;
  const page = `${server.addresses.baseUrl}${SECURITY_PATH}`;
  const what = `your account needs a second factor: set it up at ${page}`;
  throw new ForgeError({ kind: 'forbidden', what, reason: 'second-factor' });
}

/**
 * Returns the error for a password that was right, where the account needs more.
 *
 * @param what to do instead
 */
export function needsMore(what: string): ForgeError {
  return new ForgeError({
    kind: 'unauthenticated',
    what: `your account has a second factor: ${what}`,
    reason: 'second-factor',
  });
}
