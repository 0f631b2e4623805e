import type { Whitespace } from '../interface/file-diffs.ts';

/** Without programs that a configuration names, and without colors. */
export const SAFE_DIFF: readonly string[] = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** @see git-diff(1), --ignore-all-space */
export const WHITESPACE: Readonly<Record<Whitespace, readonly string[]>> = {
  'show-all': [],
  'ignore-all': ['--ignore-all-space'],
  'ignore-change': ['--ignore-space-change'],
  'ignore-eol': ['--ignore-space-at-eol'],
};
