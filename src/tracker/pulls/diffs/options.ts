import type { Static, TObject } from 'typebox';
import type { Whitespace } from '../../../git/interface/file-diffs.ts';
import type { FileFilter } from './model.ts';
import type { PullFilesQuery } from './schema.ts';

const WHITESPACES: ReadonlySet<string> = new Set<Whitespace>([
  'show-all',
  'ignore-all',
  'ignore-change',
  'ignore-eol',
]);

/** Reads the filter of a list of files. Unknown words about blanks count as absent, as in the reference. */
export function fileFilterOf(query: Static<TObject<typeof PullFilesQuery>>): FileFilter {
  const { 'skip-to': skipTo = '', whitespace = 'show-all' } = query;
  return {
    whitespace: isWhitespace(whitespace) ? whitespace : 'show-all',
    skipTo: skipTo === '' ? undefined : skipTo,
  };
}

function isWhitespace(text: string): text is Whitespace {
  return WHITESPACES.has(text);
}
