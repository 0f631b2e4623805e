import { splitFrontMatter } from '../../../../base/core/text/yaml.ts';
import { isNoteName, nameOf, suffixOf } from '../../names.ts';
import { isLocalTarget, linkTarget, pathOfTarget, relativePath } from '../links.ts';
import type { LinkedFiles, PlacedName } from './files.ts';

/** Targets of links and pictures in Markdown, of link definitions, and in HTML. */
const TARGETS = [
  /(\]\(\s*)(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))/g,
  /^( {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]*)(?:<([^<>\n]{1,1000})>|(\S{1,1000}))/gm,
  /(<(?:img|a)\b[^<>\n]{0,1000}?\b(?:src|href)=)(?:"([^"<>\n]{1,1000})"|'([^'<>\n]{1,1000})')/gi,
];
/** A wiki link. A tag of Logseq is not one: it has a mark before the brackets. */
const WIKI_LINK = /(?<!#)(!?)\[\[([^[\]\n|#]{0,500}?)(#[^[\]\n|]{0,500}?)?(?:\\?\|([^[\]\n]{0,500}))?\]\]/g;
const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;
/** Begins or ends code, also in a quotation or as an item of a list. */
const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*(`{3,}(?=[^`]*$)|~{3,})(.*)/s;
/** Code inside a paragraph, between equal marks. */
const CODE_SPAN = /(?<!`)(`{1,10})(?!`)(?:(?!\n\s*\n)[\s\S]){0,2000}?[^`]\1(?!`)/g;
/** A link of Logseq with another text. */
const LABELED_LINK = /(\]\()\[\[([^[\]\n|#]{1,500})\]\](?=\))/g;

interface Rewriting {
  readonly note: PlacedName;
  readonly files: LinkedFiles;
  /** which texts in double brackets are links: all, or only those to notes that the import renames */
  readonly wikiLinks: 'all' | 'renamed';
}

/**
 * Makes the links of a note lead to the new paths of files, and writes wiki links as Markdown links. Does not change
 * front matter and code.
 *
 * @returns the text, and the targets for which there is no file
 */
export function rewriteLinks(
  text: string,
  rewriting: Rewriting,
): { text: string; missing: readonly string[] } {
  const missing = new Set<string>();
  const { content = text } = splitFrontMatter(text) ?? {};
  const head = text.slice(0, text.length - content.length);
  const parts = [...partsOf(content)].map(({ text: part, isCode }) =>
    isCode ? part : rewritePart(part, rewriting, missing),
  );
  return { text: `${head}${parts.join('')}`, missing: [...missing] };
}

function rewritePart(part: string, rewriting: Rewriting, missing: Set<string>): string {
  let text = part;
  for (const pattern of TARGETS)
    text = text.replaceAll(pattern, (whole, before: string, quoted?: string, plain?: string) => {
      const target = newTarget(quoted ?? plain ?? '', rewriting, missing);
      if (target === undefined) return whole;
      return before.startsWith('<') ? `${before}"${target}"` : `${before}${target}`;
    });
  text = text.replaceAll(LABELED_LINK, (whole, before: string, name: string) => {
    const file = linkedBy(name.trim(), rewriting);
    return file === undefined
      ? whole
      : `${before}${linkTarget(relativePath(rewriting.note.path, file.path))}`;
  });
  return text.replaceAll(WIKI_LINK, (whole, mark: string, name: string, place?: string, shown?: string) =>
    wikiLink(
      { whole, isEmbed: mark !== '', name: name.trim(), place: place ?? '', shown },
      rewriting,
      missing,
    ),
  );
}

/** @returns undefined for a target that does not change */
function newTarget(target: string, rewriting: Rewriting, missing: Set<string>): string | undefined {
  const { note, files, wikiLinks } = rewriting;
  const [, id] = /^:\/([0-9a-f]{32})(?=#|$)/i.exec(target) ?? [];
  if (id === undefined && !isLocalTarget(target)) return undefined;
  const path = pathOfTarget(target);
  const beside = id === undefined ? files.atPath(note.name, path) : files.byId(id);
  // Obsidian leaves out the folder of a file with a name of its own.
  const file = beside ?? (wikiLinks === 'all' && id === undefined ? files.named(note.name, path) : undefined);
  if (file === undefined) {
    // A target with a dot or a slash is meant as a file. Other targets often are not links to files.
    if (id !== undefined || /[./]/.test(path)) missing.add(target);
    return undefined;
  }
  const now = relativePath(note.path, file.path);
  if (now === path.replace(/^\.\//, '')) return undefined;
  return `${linkTarget(now)}${/#.*$/.exec(target)?.[0] ?? ''}`;
}

interface WikiLink {
  readonly whole: string;
  readonly isEmbed: boolean;
  /** '' for a place in the same note */
  readonly name: string;
  /** with its `#`; '' if there is none */
  readonly place: string;
  readonly shown: string | undefined;
}

function wikiLink(
  { whole, isEmbed, name, place, shown }: WikiLink,
  rewriting: Rewriting,
  missing: Set<string>,
): string {
  const { note, wikiLinks } = rewriting;
  const file = name === '' && wikiLinks === 'all' ? note : linkedBy(name, rewriting);
  if (file === undefined || whole === '[[]]') {
    if (name !== '' && wikiLinks === 'all') missing.add(`[[${name}]]`);
    return whole;
  }
  const isNote = isNoteName(nameOf(file.path), []);
  const target = `${name === '' ? '' : linkTarget(relativePath(note.path, file.path))}${isNote ? anchorOf(place) : ''}`;
  // For a picture, Obsidian writes its width instead of a label.
  const label = shown === undefined || (isEmbed && /^\d+(?:x\d+)?$/.test(shown)) ? undefined : shown.trim();
  const isPicture = isEmbed && PICTURE.test(file.path);
  return `${isPicture ? '!' : ''}[${(label ?? titleOfLink(name, place)).replaceAll(/[[\]]/g, '\\$&')}](${target})`;
}

/** Finds the file that a wiki link names. */
function linkedBy(name: string, { note, files, wikiLinks }: Rewriting): PlacedName | undefined {
  const file = name === '' ? undefined : files.named(note.name, name);
  return wikiLinks === 'all' || file?.name !== file?.path ? file : undefined;
}

function titleOfLink(name: string, place: string): string {
  const title = isNoteName(name, []) ? name.slice(0, name.length - suffixOf(name).length) : name;
  const heading = place.replace(/^#\^?/, '').replaceAll('#', ' > ');
  return [title, heading].filter((part) => part !== '').join(' > ');
}

/** Returns the anchor of a heading. Blocks have no anchors in Markdown. */
function anchorOf(place: string): string {
  const heading = place.slice(place.lastIndexOf('#') + 1).trim();
  if (heading === '' || heading.startsWith('^')) return '';
  const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '');
  return `#${words.replaceAll(/\s/g, '-')}`;
}

interface Part {
  readonly text: string;
  readonly isCode: boolean;
}

/** Splits a text into code and the rest. */
function* partsOf(text: string): Generator<Part, void> {
  for (const block of blocksOf(text)) {
    if (block.isCode) yield block;
    else yield* spansOf(block.text);
  }
}

/** Splits a text into blocks of code and the paragraphs between them. */
function blocksOf(text: string): readonly Part[] {
  const blocks: { text: string; isCode: boolean }[] = [];
  let fence = '';
  for (const line of text.split(/(?<=\n)/)) {
    const [, mark = '', rest = ''] = FENCE.exec(line) ?? [];
    const isCode = fence !== '' || mark !== '';
    const last = blocks.at(-1);
    if (last?.isCode === isCode) last.text += line;
    else blocks.push({ text: line, isCode });
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && rest.trim() === '') fence = '';
  }
  return blocks;
}

function* spansOf(text: string): Generator<Part, void> {
  let at = 0;
  for (const span of text.matchAll(CODE_SPAN)) {
    yield { text: text.slice(at, span.index), isCode: false };
    yield { text: span[0], isCode: true };
    at = span.index + span[0].length;
  }
  yield { text: text.slice(at), isCode: false };
}
