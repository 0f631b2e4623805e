export const DOWNLOAD_LIMITS = {
  /** Downloads from signed addresses of this server. */
  objectDownloadsAtOnceMax: 256,
  objectDownloadsPerCallerMax: 64,
} as const;
