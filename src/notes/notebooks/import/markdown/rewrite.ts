import { isNoteName, suffixOf } from '../../names.ts';
import { isLocalTarget, linkTarget, pathOfTarget, relativePath } from '../links.ts';
import { nameOf } from '../places.ts';
import type { LinkedFiles, PlacedName } from './files.ts';

/** Targets of links and pictures in Markdown, of link definitions, and in HTML. */
const TARGETS = [
  /(\]\(\s*)(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))/g,
  /^( {0,3}\[[^\]\n]{1,200}\]:[ \t]*)(?:<([^<>\n]{1,1000})>|(\S{1,1000}))/gm,
  /(<(?:img|a)\b[^<>\n]{0,1000}?\b(?:src|href)=)(?:"([^"<>\n]{1,1000})"|'([^'<>\n]{1,1000})')/gi,
];
/** A wiki link. A tag of Logseq is not one: it has a mark before the brackets. */
const WIKI_LINK = /(?<!#)(!?)\[\[([^[\]\n|#]{0,500}?)(#[^[\]\n|]{0,500}?)?(?:\\?\|([^[\]\n]{0,500}))?\]\]/g;
const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export interface Rewriting {
  readonly note: PlacedName;
  readonly files: LinkedFiles;
  /** whether texts in double brackets are links */
  readonly hasWikiLinks: boolean;
}

/**
 * Makes the links of a note lead to the new paths of files, and writes wiki links as Markdown links. Does not change
 * code.
 *
 * @returns the text, and the targets for which there is no file
 */
export function rewriteLinks(
  text: string,
  rewriting: Rewriting,
): { text: string; missing: readonly string[] } {
  const missing = new Set<string>();
  const parts = partsOf(text).map(({ text: part, isCode }) =>
    isCode ? part : rewritePart(part, rewriting, missing),
  );
  return { text: parts.join(''), missing: [...missing] };
}

function rewritePart(part: string, rewriting: Rewriting, missing: Set<string>): string {
  let text = part;
  for (const pattern of TARGETS)
    text = text.replaceAll(pattern, (whole, before: string, quoted?: string, plain?: string) => {
      const target = newTarget(quoted ?? plain ?? '', rewriting, missing);
      if (target === undefined) return whole;
      return before.startsWith('<') ? `${before}"${target}"` : `${before}${target}`;
    });
  if (!rewriting.hasWikiLinks) return text;
  return text.replaceAll(WIKI_LINK, (whole, mark: string, name: string, place?: string, shown?: string) =>
    wikiLink(
      { whole, isEmbed: mark !== '', name: name.trim(), place: place ?? '', shown },
      rewriting,
      missing,
    ),
  );
}

/** @returns undefined for a target that does not change */
function newTarget(target: string, { note, files }: Rewriting, missing: Set<string>): string | undefined {
  const [, id] = /^:\/([0-9a-f]{32})(?=#|$)/i.exec(target) ?? [];
  if (id === undefined && !isLocalTarget(target)) return undefined;
  const path = pathOfTarget(target);
  const file = id === undefined ? files.atPath(note.name, path) : files.byId(id);
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
  { note, files }: Rewriting,
  missing: Set<string>,
): string {
  const file = name === '' ? note : files.named(note.name, name);
  if (file === undefined || whole === '[[]]') {
    if (name !== '') missing.add(`[[${name}]]`);
    return whole;
  }
  const isNote = isNoteName(nameOf(file.path), []);
  const target = `${name === '' ? '' : linkTarget(relativePath(note.path, file.path))}${isNote ? anchorOf(place) : ''}`;
  // For a picture, Obsidian writes its width instead of a label.
  const label = shown === undefined || (isEmbed && /^\d+(?:x\d+)?$/.test(shown)) ? undefined : shown.trim();
  const isPicture = isEmbed && PICTURE.test(file.path);
  return `${isPicture ? '!' : ''}[${(label ?? titleOfLink(name, place)).replaceAll(/[[\]]/g, '\\$&')}](${target})`;
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

/** Splits a text into code and the rest. */
function partsOf(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = [];
  const add = (part: string, isCode: boolean) => {
    const last = parts.at(-1);
    if (last?.isCode === isCode) last.text += part;
    else parts.push({ text: part, isCode });
  };
  let fence = '';
  for (const line of text.split(/(?<=\n)/)) {
    const [, mark = ''] = FENCE.exec(line) ?? [];
    if (fence !== '') {
      add(line, true);
      if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    } else if (mark !== '') {
      add(line, true);
      fence = mark;
    } else
      for (const [index, piece] of line.split(/(`{1,10}[^`\n]+`{1,10})/).entries())
        add(piece, index % 2 === 1);
  }
  return parts;
}
