export const SIGNING_LIMITS = {
  /** Signatures that the server has made lately, which it need not verify. */
  ownSignaturesRememberedMax: 1_000,
} as const;
