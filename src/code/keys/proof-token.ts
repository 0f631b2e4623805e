import { createHash } from 'node:crypto';
import type { Addresses } from '../../http/app.ts';
import type { Account } from '../../people/accounts/model.ts';
import { KEY_LIMITS } from './limits.ts';

/**
 * Returns the tokens that an account may sign now to prove that it possesses a key, the newest first. They are no
 * secrets: only the owner of the key can sign them, and each is for one account of one server and for a short time.
 */
export function proofTokens(
  account: Account,
  addresses: Addresses,
  nowMs: number,
): readonly [string, string] {
  const period = Math.floor(nowMs / KEY_LIMITS.proofTokenMs);
  const of = (index: number) =>
    createHash('sha256')
      .update(JSON.stringify(['proof', addresses.baseUrl, account.id, account.createdAt, index]))
      .digest('hex');
  return [of(period), of(period - 1)];
}
