import type { Html } from '../../../base/core/text/html.ts';
import type { ShownFile } from '../../../code/commits/differences.ts';
import type { DiffLine, DiffSide } from '../../../git/format/diffs/model.ts';
import type { Whitespace } from '../../../git/interface/file-diffs.ts';

/** How a reader wants to see differences. */
export interface DiffLook {
  readonly style: 'unified' | 'split';
  readonly whitespace: Whitespace;
  /** path of the only file that is shown; undefined for all */
  readonly only: string | undefined;
}

/** What a page adds to the differences that it shows, such as the comments on their lines. */
export interface DiffSlots {
  /** at the end of the title of a file */
  readonly inTitle?: ((file: ShownFile) => Html) | undefined;
  /** below the title of a file */
  readonly belowTitle?: ((file: ShownFile) => Html | undefined) | undefined;
  /** beside the number of a line, such as a link to a form */
  readonly atNumber?: ((file: ShownFile, line: DiffLine, side: DiffSide) => Html | undefined) | undefined;
  /** in a row of its own below a line, such as comments and a form */
  readonly belowLine?: ((file: ShownFile, line: DiffLine) => Html | undefined) | undefined;
}

/** The page that shows differences. */
export interface DiffPlace {
  /** path of the page */
  readonly path: string;
  /** other parameters of the page, which its links keep */
  readonly query?: Readonly<Record<string, string>>;
  readonly look: DiffLook;
  /** path of the text of all differences; undefined if there is none */
  readonly textPath: string | undefined;
  /** Returns the path of the page of a file, or of its bytes, at one side. */
  fileAt(side: DiffSide, path: string, kind: 'src' | 'raw'): string;
  readonly slots?: DiffSlots | undefined;
}
