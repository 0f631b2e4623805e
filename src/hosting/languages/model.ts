import type { Oid } from '../../git/format/model.ts';

/** Bytes of files on the default branch, by language. Sorted by bytes, descending, if read from rows. */
export type LanguageBytes = ReadonlyMap<string, number>;

export interface Measurement {
  /** false: the measurement is that of the parent */
  readonly isOwn: boolean;
  /** root tree of the measurement; null: no commit, or too many files */
  readonly tree: Oid | null;
  /** version of the rules of the measurement */
  readonly rules: string;
  readonly bytes: LanguageBytes;
}
