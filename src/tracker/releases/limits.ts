export const RELEASE_LIMITS = {
  releasesPerRepositoryMax: 20_000,
  releaseTitleCharsMax: 255,
  releaseBodyCharsMax: 262_144,
  /** Branch, tag or commit at which a tag is created. */
  releaseTargetCharsMax: 255,
  /** Text that a list of releases searches. */
  releaseSearchCharsMax: 255,
  /** A file of a release, and the assets of one release. */
  releaseAssetBytesMax: 2 * 1024 * 1024 * 1024,
  releaseAssetsMax: 500,
  /** Address of an asset on another server. */
  releaseAssetUrlCharsMax: 2_048,
  /** Files of releases that are being uploaded, of all callers and of one caller. */
  releaseUploadsAtOnceMax: 64,
  releaseUploadsPerCallerMax: 8,
} as const;
