export const RECOVERY_LIMITS = {
  /** Requests of one network for a forgotten password, within this time. */
  recoveriesPerNetworkMax: 20,
  recoveriesMs: 60 * 60_000,
  recoveryNetworksRememberedMax: 10_000,
} as const;
