export const AVATAR_LIMITS = {
  /** One uploaded picture. */
  avatarBytesMax: 4 * 1024 * 1024,
  /** The JSON that has it in base64, with line breaks. */
  avatarBodyBytesMax: 6 * 1024 * 1024,
  /** Width and height of an uploaded picture, as its header says. */
  avatarSideMax: 8_192,
  /** Pixels of an uploaded picture: a square of 4,096. Decoding one takes up to 16 bytes for each. */
  avatarPixelsMax: 16 * 1024 * 1024,
  /** Width and height of the stored picture. */
  storedAvatarSideMax: 256,
  /** Decoding one picture. */
  avatarMs: 15_000,
  /** Heap of the thread; the pixels are outside of it. */
  avatarMemoryMib: 64,
  avatarIdleMs: 30_000,
  /** Bytes of a picture that are decoded in a millisecond, at least. */
  avatarBytesPerMs: 2_000,
  /** Pictures that wait for the thread. */
  avatarQueueMax: 64,
  avatarQueuePerCallerMax: 4,
  avatarWaitMs: 30_000,
  /** Time of the thread that one caller uses in a period. */
  avatarMsPerPeriodMax: 60_000,
  avatarPeriodMs: 10 * 60_000,
} as const;
