import type { Oid } from '../git/model.ts';

/** Bytes of files on the default branch, by language; the most first where they were read from rows. */
export type LanguageBytes = ReadonlyMap<string, number>;

export interface Measurement {
  /** else it is of what the repository is a fork of */
  readonly isOwn: boolean;
  /** root of what was measured; null: there was no commit, or more than is measured */
  readonly tree: Oid | null;
  /** how files were told apart then */
  readonly rules: string;
  readonly bytes: LanguageBytes;
}
