import type { Sealer } from '../../base/core/sealing.ts';
import type { Credentials } from './model.ts';

/** @param purpose what the credentials are for, and which row has them; they open only for the same purpose */
export function sealCredentials(
  sealer: Sealer,
  credentials: Credentials | null,
  purpose: string,
): string | null {
  return credentials === null ? null : sealer.seal(JSON.stringify(credentials), purpose);
}

/** @throws SealError if the credentials cannot be decrypted */
export function openCredentials(sealer: Sealer, sealed: string | null, purpose: string): Credentials | null {
  return sealed === null ? null : JSON.parse(sealer.open(sealed, purpose));
}
