import { isValues, type Values } from '../../../../base/core/text/yaml.ts';
import { NotTakenError } from '../model.ts';
import { listOf, objectOf, textOf } from './json.ts';

/** Formats of a text, as bits, with the marks of Markdown around it. */
const MARKS = [
  [1, '**'],
  [2, '*'],
  [4, '~~'],
  [16, '`'],
] as const;
const DEPTH_MAX = 100;

/**
 * Converts a note of the Super editor of Standard Notes to Markdown.
 *
 * @param text the state of the editor, as JSON
 * @returns the text, and `lost`, which names content that Markdown cannot express
 * @throws NotTakenError
 * @see https://lexical.dev/docs/concepts/serialization
 */
export function superToMarkdown(text: string): { text: string; lost: readonly string[] } {
  if (text.trim() === '') return { text: '', lost: [] };
  const lost = new Set<string>();
  const blocks = listOf(objectOf(parsed(text), 'root'), 'children');
  const lines = blocks.map((block) => blockOf(block, { lost, depth: 0 }));
  return { text: `${lines.join('\n\n').trim()}\n`, lost: [...lost] };
}

function parsed(text: string): Values {
  try {
    const values: unknown = JSON.parse(text);
    if (isValues(values)) return values;
  } catch {
    // Reported below.
  }
  throw new NotTakenError('its text is not what the Super editor writes');
}

interface Place {
  readonly lost: Set<string>;
  readonly depth: number;
}

function inside({ lost, depth }: Place): Place {
  if (depth === DEPTH_MAX) throw new NotTakenError('its parts are nested too deeply');
  return { lost, depth: depth + 1 };
}

function blockOf(node: Values, place: Place): string {
  const children = listOf(node, 'children');
  const within = inside(place);
  switch (node.type) {
    case 'heading':
      return `${'#'.repeat(Number(textOf(node, 'tag').slice(1)) || 1)} ${lineOf(children, within)}`;
    case 'quote':
      return prefixed(lineOf(children, within), '> ');
    case 'code':
      return `\`\`\`${textOf(node, 'language')}\n${plainOf(children, within)}\n\`\`\``;
    case 'list':
      return listLines(node, within).join('\n');
    case 'horizontalrule':
      return '---';
    case 'table':
      return tableOf(children, within);
    default:
      return isBlockList(children)
        ? children.map((child) => blockOf(child, within)).join('\n\n')
        : lineOf(node.children === undefined ? [node] : children, within);
  }
}

const BLOCKS: ReadonlySet<unknown> = new Set([
  'paragraph',
  'heading',
  'quote',
  'code',
  'list',
  'table',
  'collapsible-container',
  'collapsible-title',
  'collapsible-content',
]);

function isBlockList(nodes: readonly Values[]): boolean {
  return nodes.some(({ type }) => BLOCKS.has(type));
}

function listLines(list: Values, place: Place): readonly string[] {
  let number = typeof list.start === 'number' ? list.start : 1;
  return listOf(list, 'children').flatMap((item) => {
    const parts = listOf(item, 'children');
    const within = inside(place);
    const nested = parts
      .filter(({ type }) => type === 'list')
      .flatMap((part) => listLines(part, within).map((line) => `    ${line}`));
    const own = parts.filter(({ type }) => type !== 'list');
    if (own.length === 0 && nested.length > 0) return nested;
    const mark = list.listType === 'number' ? `${number++}.` : '-';
    const box = list.listType === 'check' ? `[${item.checked === true ? 'x' : ' '}] ` : '';
    return [`${mark} ${box}${lineOf(own, within)}`, ...nested];
  });
}

function tableOf(rows: readonly Values[], place: Place): string {
  const cells = rows.map((row) =>
    listOf(row, 'children').map((cell) =>
      listOf(cell, 'children')
        .map((block) => blockOf(block, inside(place)))
        .join(' ')
        .replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|'),
    ),
  );
  const lines = cells.map((row) => `| ${row.join(' | ')} |`);
  const [head = '', ...rest] = lines;
  return [head, `|${' --- |'.repeat(cells[0]?.length ?? 1)}`, ...rest].join('\n');
}

function lineOf(nodes: readonly Values[], place: Place): string {
  return nodes.map((node) => inlineOf(node, place)).join('');
}

function inlineOf(node: Values, place: Place): string {
  const children = listOf(node, 'children');
  switch (node.type) {
    case 'text':
    case 'code-highlight':
      return markedText(textOf(node, 'text'), Number(node.format) || 0);
    case 'linebreak':
      return '\n';
    case 'tab':
      return '\t';
    case 'link':
    case 'autolink': {
      const text = lineOf(children, inside(place));
      const url = textOf(node, 'url');
      return text === url ? url : `[${text}](<${url.replaceAll(/[<>\n]/g, '')}>)`;
    }
    default:
      if (children.length > 0) return lineOf(children, inside(place));
      if (node.children === undefined) place.lost.add(`its ${String(node.type)} is not taken`);
      return textOf(node, 'text');
  }
}

/** Writes marks around a text, but inside of the spaces at its ends, because marks next to spaces have no effect. */
function markedText(text: string, format: number): string {
  const core = text.trim();
  if (core === '') return text;
  const start = text.slice(0, text.indexOf(core));
  const end = text.slice(start.length + core.length);
  const marks = MARKS.filter(([bit]) => (format & bit) !== 0).map(([, mark]) => mark);
  return `${start}${marks.join('')}${core}${marks.toReversed().join('')}${end}`;
}

function plainOf(nodes: readonly Values[], place: Place): string {
  return nodes
    .map((node) =>
      node.type === 'linebreak'
        ? '\n'
        : textOf(node, 'text') || plainOf(listOf(node, 'children'), inside(place)),
    )
    .join('');
}

function prefixed(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
}
