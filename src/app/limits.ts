export const APP_LIMITS = {
  /** Archives in the object store. A setting overrides it. */
  archivesStoredBytesMax: 10 * 1024 * 1024 * 1024,
  /** Bytes of one object. A setting overrides it. */
  lfsObjectBytesMax: 64 * 1024 * 1024 * 1024,
  /** A file with a private key, or a former public key, of the server. */
  signingKeyBytesMax: 256 * 1024,
} as const;
