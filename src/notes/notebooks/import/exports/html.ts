import type TurndownService from 'turndown';
import { NotTakenError } from '../model.ts';

/** The properties of an element of the parsed HTML. */
interface HtmlNode {
  readonly nodeName: string;
  readonly parentNode: HtmlNode | null;
  readonly nextSibling: HtmlNode | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  /** of a table */
  readonly rows?: ArrayLike<HtmlNode>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
}

const CELLS: ReadonlySet<string> = new Set(['TD', 'TH', 'TR']);

let service: TurndownService | undefined;

/**
 * Converts HTML to Markdown. As in the editors of notes, a `div` is a separate line, and a box to tick is an item of a
 * list.
 *
 * @throws NotTakenError for elements that are nested too deeply
 */
export async function htmlToMarkdown(html: string): Promise<string> {
  service ??= await newService();
  try {
    const text = service
      .turndown(html)
      .replaceAll(/^[ \u00a0]+|\u00a0/gm, (found, at: number, all: string) =>
        at === 0 || all.charAt(at - 1) === '\n' ? found : ' ',
      )
      .replaceAll(/[^\S\n]+$/gm, '');
    return text === '' ? '' : `${text}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new NotTakenError('its elements are nested too deeply', { cause: error });
  }
}

async function newService(): Promise<TurndownService> {
  // Loaded here, because a server does not need these packages.
  const [{ default: Turndown }, { default: dialect }] = await Promise.all([
    import('turndown'),
    import('@joplin/turndown-plugin-gfm'),
  ]);
  const made = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    br: '',
  });
  made.use(dialect.gfm);
  made.addRule('rows', {
    filter: (node) => {
      keepRows(node as unknown as HtmlNode);
      return false;
    },
    replacement: (content) => content,
  });
  made.addRule('line', { filter: 'div', replacement: (content) => `\n${content}\n` });
  made.addRule('item', {
    filter: 'li',
    replacement: (content, node) => itemOf(content, node as unknown as HtmlNode),
  });
  made.addRule('box', {
    filter: (node) => node.nodeName === 'INPUT' && node.getAttribute('type') === 'checkbox',
    replacement: (_, node) => {
      const mark = (node as unknown as HtmlNode).hasAttribute('checked') ? '[x] ' : '[ ] ';
      return isInItem(node as unknown as HtmlNode) ? mark : `- ${mark}`;
    },
  });
  return made;
}

/** Keeps the list of rows of a table: the library reads it for each cell, and collects it anew each time. */
function keepRows(node: HtmlNode): void {
  if (!CELLS.has(node.nodeName)) return;
  let table: HtmlNode | null = node;
  while (table !== null && table.nodeName !== 'TABLE') table = table.parentNode;
  if (table?.rows === undefined || Object.hasOwn(table, 'rows')) return;
  Object.defineProperty(table, 'rows', { value: Array.from(table.rows) });
}

/** Indents the content of an item below its text, not below its mark. */
function itemOf(content: string, node: HtmlNode): string {
  const mark = node.parentNode?.nodeName === 'OL' ? `${numberOf(node)}.` : '-';
  const lines = content
    .replace(/^\n+/, '')
    .replace(/^(\[[ x]\] )\n+/, '$1')
    .replace(/\n+$/, '')
    .replaceAll('\n', '\n    ');
  return `${mark} ${lines}${node.nextSibling === null ? '' : '\n'}`;
}

function numberOf(item: HtmlNode): number {
  const list = item.parentNode;
  const items = Array.from(list?.childNodes ?? []).filter(({ nodeName }) => nodeName === 'LI');
  return (Number(list?.getAttribute('start')) || 1) + items.indexOf(item);
}

function isInItem(node: HtmlNode): boolean {
  const parent = node.parentNode;
  return parent?.nodeName === 'LI' || (parent?.nodeName === 'DIV' && parent.parentNode?.nodeName === 'LI');
}
