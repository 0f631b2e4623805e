import { type ForgeError, invalid } from '../../base/core/failure.ts';
import { accountNameProblem } from '../accounts/names.ts';
import { asciiAddress, requireEmail } from '../accounts/profile.ts';
import type { SignUpSettings } from './model.ts';

/**
 * Returns an address as accounts that people create have it: with its domain in ASCII. So its domain is the one that the
 * settings allow, whatever a mail server makes of other spellings.
 *
 * @throws ForgeError `invalid` for text that is no address, or one whose domain ends with a dot
 */
export function signUpAddress(email: string): string {
  const address = asciiAddress(email);
  if (address === undefined || address.endsWith('.')) throw notAnAddress();
  try {
    requireEmail(address);
  } catch {
    throw notAnAddress();
  }
  return address;
}

function notAnAddress(): ForgeError {
  return invalid('type an e-mail address such as ada@example.org');
}

/** Whether people with an address may create an account by themselves. @param address of `signUpAddress` */
export function maySignUp(address: string, { mode, domains }: SignUpSettings): boolean {
  if (mode === 'open') return true;
  if (mode !== 'domain') return false;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domains.some((allowed) =>
    allowed.startsWith('*.') ? domain.endsWith(allowed.slice(1)) : domain === allowed,
  );
}

/** @throws ForgeError `invalid` that says what a name may be */
export function requireUsableName(name: string): void {
  const problem = accountNameProblem(name);
  if (problem === undefined) return;
  throw invalid(
    problem.startsWith('[')
      ? 'a name has at most 40 letters and digits, with a single dash, underscore or dot between them'
      : 'this name is reserved: choose another',
  );
}
