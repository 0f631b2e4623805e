export const PUSH_MIRROR_LIMITS = {
  /** Repositories on other servers to which one repository pushes its changes. */
  pushMirrorsPerRepositoryMax: 16,
  pushMirrorsAtOnceMax: 8,
  pushMirrorFilterCharsMax: 2_000,
  pushMirrorFilterPatternsMax: 100,
  pushMirrorFilterStepsMax: 10_000_000,
  /** Rejected refs that the error of a push mirror names. */
  targetRejectionsShownMax: 5,
} as const;
