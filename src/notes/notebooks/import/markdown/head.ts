import {
  parseMapping,
  splitFrontMatter,
  UnusableFileError,
  type Values,
} from '../../../../base/core/text/yaml.ts';

/** What the start of a text says about the note. */
export interface NoteHead {
  /** undefined: the name of the file is the title */
  readonly title?: string;
  /** ms */
  readonly modifiedAt?: number;
}

/** Names that apps give to the time of the last change. */
const MODIFIED = ['updated', 'modified', 'lastmod', 'updated_at', 'date modified'];
/** A day, with or without a time, as apps write it. Without a zone, it is the time of this machine. */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads the front matter at the start of a text. Ignores text that only looks like front matter. */
export function headOf(start: string): NoteHead {
  const split = splitFrontMatter(start.replace(/^\ufeff/, ''));
  if (split === undefined) return {};
  try {
    const values = parseMapping(split.frontMatter);
    const title = titleIn(values, split.frontMatter);
    const modifiedAt = MODIFIED.map((key) => timeIn(values[key])).find((ms) => ms !== undefined);
    return { ...(title === '' ? {} : { title }), ...(modifiedAt === undefined ? {} : { modifiedAt }) };
  } catch (error) {
    if (error instanceof UnusableFileError) return {};
    throw error;
  }
}

function titleIn({ title }: Values, frontMatter: string): string {
  if (typeof title === 'string') return title.trim();
  if (typeof title === 'object' || title === undefined) return '';
  // Joplin writes `title: 007` without quotation marks.
  return /^title:[ \t]*(.*?)[ \t\r]*$/m.exec(frontMatter)?.[1] ?? '';
}

function timeIn(value: unknown): number | undefined {
  const [, day, time = '00:00', zone = ''] = typeof value === 'string' ? (TIME.exec(value.trim()) ?? []) : [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  return ms > 0 ? ms : undefined;
}

/**
 * Reads the title of a page of Logseq from a property at its start, or else from the name of its file. `/` separates
 * folders.
 */
export function logseqTitle(start: string, stem: string): string {
  const [, title] = /^(?:[a-z-]+:: [^\n]*\n){0,20}?title:: *([^\n]+)/.exec(start) ?? [];
  return title?.trim() ?? decoded(stem.replaceAll('___', '/'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
