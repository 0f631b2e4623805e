import type { CommitTimes } from '../../git/format/commit-times.ts';
import type { ChangedFile } from '../../git/interface/history.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { KnownCommit } from '../git-data/model.ts';

/** Which commits a list has. Names are branches, tags or commits. */
export interface CommitFilter {
  /** '' for the default branch */
  readonly from: string;
  /** leaves out what it reaches; '' for nothing */
  readonly not: string;
  /** of a file or folder that the commits changed; '' for all commits */
  readonly path: string;
  /** undefined: all times */
  readonly times: CommitTimes | undefined;
}

/** One page of a list of commits, whose changes are not read yet. */
export interface CommitPage {
  readonly snapshot: Snapshot;
  readonly commits: readonly KnownCommit[];
  readonly total: number;
}

/** A branch, tag or commit that may be in another repository: `head`, `owner:head` or `owner/repository:head`. */
export interface HeadNames {
  /** '' for the default branch */
  readonly head: string;
  /** owner of the fork that has the head; null: the same repository */
  readonly headOwner: string | null;
  /** name of that repository; null: the fork of that owner */
  readonly headRepository: string | null;
}

/** What the address of a comparison names: `base...head`, where the head may be in another repository. */
export interface ComparedNames extends HeadNames {
  /** '' for the default branch */
  readonly base: string;
  /** compares the two as they are, instead of the head with the last commit that both have */
  readonly isDirect: boolean;
}

/** The commits that the head has and the base lacks, and the files that they change together. */
export interface Comparison extends CommitPage {
  files(): Promise<readonly ChangedFile[]>;
}

export type DiffFormat = 'diff' | 'patch';

/** Reads the format from the end of an address, such as `main.diff`. */
export function splitFormat(
  text: string,
): { readonly name: string; readonly format: DiffFormat } | undefined {
  const match = /^(.+)\.(diff|patch)$/s.exec(text);
  const [, name = '', format] = match ?? [];
  return format === 'diff' || format === 'patch' ? { name, format } : undefined;
}

/** Reads the address of a comparison. No name of a ref has two dots in a row, or a colon. */
export function comparedNamesOf(text: string): ComparedNames {
  const isThreeDots = text.includes('...');
  const dots = isThreeDots ? '...' : '..';
  const at = text.indexOf(dots);
  const base = at === -1 ? '' : text.slice(0, at);
  const head = at === -1 ? text : text.slice(at + dots.length);
  return { base, ...headNamesOf(head), isDirect: at !== -1 && !isThreeDots };
}

/** Reads the name of a head. No name of a ref has a colon. */
export function headNamesOf(text: string): HeadNames {
  const colon = text.indexOf(':');
  const [owner = '', repository] = colon === -1 ? [] : text.slice(0, colon).split('/', 2);
  return {
    head: text.slice(colon + 1),
    headOwner: colon === -1 ? null : owner,
    headRepository: repository ?? null,
  };
}
