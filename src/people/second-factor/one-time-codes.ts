import { Secret, TOTP } from 'otpauth';
import { SECOND_FACTOR_LIMITS } from './limits.ts';
import type { CodeSetup } from './model.ts';

/** RFC 4226, section 4: the secret should have as many bits as the digest. */
const SECRET_BYTES = 20;
const ONE_TIME_CODE = /^\d{6}$/;

/** Returns a new secret, base32. */
export function generateCodeSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

export function looksLikeOneTimeCode(text: string): boolean {
  return ONE_TIME_CODE.test(text);
}

export function codeSetupOf(
  secret: string,
  named: { readonly issuer: string; readonly account: string },
): CodeSetup {
  const { issuer, account: label } = named;
  return { secret, address: codesOf(secret, { issuer, label }).toString() };
}

/**
 * Returns the time step of a code, as RFC 6238 counts them; undefined if it is wrong at this time.
 *
 * @param now ms
 */
export function stepOf(code: string, secret: string, now: number): number | undefined {
  const codes = codesOf(secret);
  const off = codes.validate({ token: code, timestamp: now, window: SECOND_FACTOR_LIMITS.codeStepsOff });
  return off === null ? undefined : codes.counter({ timestamp: now }) + off;
}

function codesOf(secret: string, named: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), ...named });
}
