import { RemoteError } from '../../git/remote/model.ts';
import type { Copying, FamilyItems } from '../../hosting/mirrors/model.ts';
import type { FamilyServer } from './family-server.ts';
import { IMPORT_LIMITS } from './limits.ts';
import type { Omissions } from './omissions.ts';

/** A repository on another server whose issues and pull requests an import reads, and what the import counts. */
export interface TrackerSource {
  readonly server: FamilyServer;
  /** of the repository, in the API */
  readonly path: string;
  readonly copying: Copying;
  readonly items: FamilyItems;
  readonly omissions: Omissions;
  readonly texts: TextCount;
}

/** Counts the characters of all texts of one import. */
export class TextCount {
  #chars = 0;

  /** @throws RemoteError if they are too many together */
  add(...texts: readonly string[]): void {
    for (const text of texts) this.#chars += text.length;
    if (this.#chars > IMPORT_LIMITS.importedTextCharsMax)
      throw new RemoteError(
        `the source has more than ${IMPORT_LIMITS.importedTextCharsMax} characters of issues`,
      );
  }
}

/** Says that a list is left out because the source does not have it. */
export function missingList(what: string): string {
  return `lists of ${what} that the source does not have`;
}

/**
 * Reads a record. Counts a record that cannot be used as left out, by what it is.
 *
 * @returns undefined for such a record
 */
export function unlessMalformed<T>({ omissions }: TrackerSource, what: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    omissions.add(`${what} that cannot be used`);
    return undefined;
  }
}
