/** Disk usage of a repository's objects. */
export interface ObjectsMeasure {
  /** size of all files */
  readonly bytes: number;
  readonly packs: number;
  /** number of loose objects */
  readonly looseObjects: number;
}

export interface VerifyReport {
  /** of the repository */
  readonly id: number;
  /** one line each; empty if rows, mirror, objects and fsck agree */
  readonly problems: readonly string[];
}
