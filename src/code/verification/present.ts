import type { Static } from 'typebox';
import type { Verification } from './model.ts';
import type { VerificationSchema } from './schema.ts';

export function presentVerification(verification: Verification): Static<typeof VerificationSchema> {
  const { isVerified, reason, signature, signer } = verification;
  return {
    verified: isVerified,
    reason,
    signature: signature?.text ?? '',
    signer,
    payload: signature === null ? '' : Buffer.from(signature.payload).toString('utf8'),
  };
}
