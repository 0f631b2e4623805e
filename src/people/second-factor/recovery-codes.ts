import { hash } from 'node:crypto';
import { Secret } from 'otpauth';
import { SECOND_FACTOR_LIMITS } from './limits.ts';

/** No one can guess 80 random bits, so a plain digest protects them as well as a slow one. */
const CODE_BYTES = 10;
/** base32, which has no digits that look like letters */
const RECOVERY_CODE = /^[a-z2-7]{16}$/;
const GROUP = /.{4}(?=.)/g;

/** Returns new recovery codes, such as `abcd-efgh-ijkl-mnop`. */
export function generateRecoveryCodes(): readonly string[] {
  return Array.from({ length: SECOND_FACTOR_LIMITS.recoveryCodes }, () =>
    new Secret({ size: CODE_BYTES }).base32.toLowerCase().replaceAll(GROUP, '$&-'),
  );
}

/** @param text without spaces and hyphens, in lower case */
export function looksLikeRecoveryCode(text: string): boolean {
  return RECOVERY_CODE.test(text);
}

/** Returns SHA-256 as hex of a code, with or without its hyphens. */
export function recoveryDigestOf(code: string): string {
  return hash('sha256', code.replaceAll('-', ''));
}
