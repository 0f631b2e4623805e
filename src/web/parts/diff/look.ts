import { Type } from 'typebox';
import type { Whitespace } from '../../../git/interface/file-diffs.ts';
import type { DiffLook, DiffPlace } from './model.ts';

const WHITESPACES: readonly Whitespace[] = ['show-all', 'ignore-all', 'ignore-change', 'ignore-eol'];

/** The parameters of a page with differences. */
export const DiffQuery = {
  style: Type.Optional(Type.String()),
  whitespace: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
};

/** Reads how a reader wants to see differences. Unknown words count as absent. */
export function diffLookOf(query: {
  readonly style?: string;
  readonly whitespace?: string;
  readonly file?: string;
}): DiffLook {
  const { style, whitespace, file = '' } = query;
  return {
    style: style === 'split' ? 'split' : 'unified',
    whitespace: WHITESPACES.find((each) => each === whitespace) ?? 'show-all',
    only: file === '' ? undefined : file,
  };
}

/** Returns the address of the same page with another look. */
export function lookPath({ path, query = {}, look }: DiffPlace, change: Partial<DiffLook>): string {
  const { style, whitespace, only } = { ...look, ...change };
  const parameters = new URLSearchParams({
    ...query,
    ...(style === 'unified' ? {} : { style }),
    ...(whitespace === 'show-all' ? {} : { whitespace }),
    ...(only === undefined ? {} : { file: only }),
  }).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}
