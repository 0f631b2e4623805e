import {
  parseMapping,
  splitFrontMatter,
  textIn,
  UnusableFileError,
  type Values,
} from '../../base/core/text/yaml.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import { fieldsOf } from './fields.ts';
import type { IssueTemplate } from './model.ts';

const ABOUT_BYTES_MAX = 80;
/**
 * Reads a template: a form from YAML, any other from Markdown.
 *
 * @param path from the root of the repository
 * @throws UnusableFileError
 */
export function templateOf(path: string, text: string): IssueTemplate {
  const template = path.endsWith('.md') ? markdownTemplateOf(path, text) : formOf(path, text);
  if (template.name.trim() === '') throw new UnusableFileError('name is required');
  if (template.about.trim() === '') throw new UnusableFileError('about is required');
  return template;
}

function formOf(path: string, text: string): IssueTemplate {
  const values = parseMapping(text);
  return { ...headOf(values), content: '', fields: fieldsOf(values.body), path };
}

function markdownTemplateOf(path: string, text: string): IssueTemplate {
  const split = splitFrontMatter(text);
  const head = split === undefined ? undefined : usable(split.frontMatter);
  if (split !== undefined && head !== undefined)
    return { ...head, content: split.content, fields: null, path };
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { ...headOf({ name, about: beginningOf(text) }), content: text, fields: null, path };
}

/** @returns undefined for front matter that is invalid, and so a part of the text */
function usable(frontMatter: string): ReturnType<typeof headOf> | undefined {
  try {
    return headOf(parseMapping(frontMatter));
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined;
    throw error;
  }
}

function headOf(values: Values) {
  const ref = textIn(values, 'ref');
  return {
    name: textIn(values, 'name'),
    title: textIn(values, 'title'),
    about: textIn(values, 'about') || textIn(values, 'description'),
    labels: labelsOf(values.labels),
    ref: ref.startsWith('refs/') ? ref : branchRef(ref),
  };
}

/** @param value a list of names, or a text with commas between them */
function labelsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const names: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
  if (!names.every((name) => typeof name === 'string'))
    throw new UnusableFileError('labels must be a list of names');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Returns the first bytes of a text, with an ellipsis in place of the rest. */
function beginningOf(text: string): string {
  if (Buffer.byteLength(text) <= ABOUT_BYTES_MAX) return text;
  const ellipsis = '…';
  let beginning = '';
  for (const char of text) {
    if (Buffer.byteLength(beginning + char + ellipsis) > ABOUT_BYTES_MAX) break;
    beginning += char;
  }
  return beginning + ellipsis;
}
