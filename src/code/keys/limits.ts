export const KEY_LIMITS = {
  /** Text of an SSH public key, with its comment. */
  sshKeyCharsMax: 16 * 1024,
  sshKeysPerAccountMax: 100,
  deployKeysPerRepositoryMax: 100,
  keyTitleCharsMax: 255,
  /** The recorded last use of a key may be older by this. */
  keyUseLagMs: 60_000,
  rsaKeyBitsMin: 2_048,
  /** Verifying a signature takes longer with a larger key. */
  rsaKeyBitsMax: 16_384,
  /** Text of an OpenPGP public key, including signatures of other users, which are not stored. */
  openPgpKeyCharsMax: 256 * 1024,
  openPgpKeysPerAccountMax: 50,
  openPgpSubkeysMax: 32,
  openPgpUserIdsMax: 64,
  /** Signatures of an OpenPGP key on its own user ids and subkeys. */
  openPgpOwnSignaturesMax: 500,
  /** Reading one key or verifying one signature, in a thread with this memory. */
  openPgpMs: 5_000,
  /** Speed of reading keys that are made to be slow. Each verification also checks a key's signatures on itself. */
  openPgpKeyBytesPerMs: 20,
  openPgpMemoryMib: 128,
  openPgpIdleMs: 30_000,
  /** Keys and signatures that wait for the thread. */
  openPgpQueueMax: 256,
  openPgpQueuePerCallerMax: 32,
  openPgpWaitMs: 30_000,
  /** A token that a user signs to prove the possession of a key is valid for one to two of these periods. */
  proofTokenMs: 10 * 60_000,
  /** Text of a signature of a commit or a tag, or of a token. */
  signatureCharsMax: 64 * 1024,
} as const;
