export const VERIFICATION_LIMITS = {
  /** A commit or a tag without its signature. A larger one is not verified. */
  signedBytesMax: 1024 * 1024,
  /** Signatures of which it is known whether a key made them. */
  signaturesRememberedMax: 50_000,
  keysTriedPerSignatureMax: 5,
  /** A signature that could not be checked in time is tried again after this time. */
  slowSignatureRememberedMs: 5_000,
} as const;
