import type { MarkdownIt, ParserCore, StateBlock, StateInline, Token } from 'markdown-it';
import footnotePlugin from 'markdown-it-footnote';

type StateCore = Parameters<ParserCore['process']>[0];

/** What the plugin remembers of a text. Its keys are labels after a colon. */
interface Footnotes {
  /** number of each defined footnote, from 0 in the order of the first references; -1 without a reference */
  readonly refs?: Record<string, number>;
  list?: UsedFootnote[];
}

interface UsedFootnote {
  readonly label: string;
  /** references so far */
  count: number;
}

/** Longer labels are text, as those of links are. Otherwise, each `[^` would read the text to its end. */
const LABEL_CHARS_MAX = 999;
const REFERENCE = new RegExp(String.raw`\[\^([^\] \n]{1,${LABEL_CHARS_MAX}})\]`, 'y');

/** Adds footnotes. Two rules of the plugin take quadratic time, so others replace them. */
export function addFootnotes(parser: MarkdownIt): void {
  parser.use(footnotePlugin);
  // The dialect has no footnotes inside a line, and a text of many takes quadratic time.
  parser.inline.ruler.disable('footnote_inline');
  parser.inline.ruler.at('footnote_ref', readReference);
  parser.core.ruler.at('footnote_tail', moveToEnd);
  renderAsUserContent(parser);
}

function footnotesOf({ env }: StateInline | StateBlock | StateCore): Footnotes {
  return (env as { footnotes?: Footnotes }).footnotes ?? {};
}

function readReference(state: StateInline, silent: boolean): boolean {
  const footnotes = footnotesOf(state);
  REFERENCE.lastIndex = state.pos;
  const [all = '', label = ''] = footnotes.refs === undefined ? [] : (REFERENCE.exec(state.src) ?? []);
  const isDefined = footnotes.refs?.[`:${label}`] !== undefined;
  if (all === '' || !isDefined || state.pos + all.length > state.posMax) return false;
  if (!silent) state.push('footnote_ref', '', 0).meta = countReference(footnotes, label);
  state.pos += all.length;
  return true;
}

function countReference(footnotes: Footnotes, label: string) {
  const { refs = {}, list = [] } = footnotes;
  const known = refs[`:${label}`] ?? -1;
  const id = known < 0 ? list.length : known;
  const footnote = list[id] ?? { label, count: 0 };
  refs[`:${label}`] = id;
  list[id] = footnote;
  footnotes.list = list;
  footnote.count += 1;
  return { id, subId: footnote.count - 1, label };
}

/** Moves the contents of footnotes that have references to the end of the text, and drops the others. */
function moveToEnd(state: StateCore): void {
  const { refs, list } = footnotesOf(state);
  if (refs === undefined) return;
  const { rest, contents } = separated(state.tokens);
  state.tokens = rest;
  if (list === undefined) return;
  const token = (type: string, nesting: -1 | 0 | 1, meta: Token['meta'] = null) => {
    const made = new state.Token(type, '', nesting);
    made.meta = meta;
    return made;
  };
  rest.push(token('footnote_block_open', 1));
  list.forEach(({ label, count }, id) => {
    const content = contents.get(label) ?? [];
    const last = content.at(-1);
    const end = last?.type === 'paragraph_close' ? [last] : [];
    rest.push(token('footnote_open', 1, { id, label }));
    for (const one of content.slice(0, content.length - end.length)) rest.push(one);
    for (let subId = 0; subId < count; subId += 1)
      rest.push(token('footnote_anchor', 0, { id, subId, label }));
    rest.push(...end, token('footnote_close', -1));
  });
  rest.push(token('footnote_block_close', -1));
}

/** Takes the contents of footnotes, by label, out of the other tokens. */
function separated(tokens: readonly Token[]): {
  readonly rest: Token[];
  readonly contents: ReadonlyMap<string, readonly Token[]>;
} {
  const rest: Token[] = [];
  const contents = new Map<string, readonly Token[]>();
  let into = rest;
  for (const one of tokens) {
    if (one.type === 'footnote_reference_open') {
      into = [];
      contents.set((one.meta as { label: string }).label, into);
    } else if (one.type === 'footnote_reference_close') into = rest;
    else into.push(one);
  }
  return { rest, contents };
}

/** Gives footnotes the ids and the form that the reference has. */
function renderAsUserContent({ renderer }: MarkdownIt): void {
  renderer.rules.footnote_ref = (tokens, index) => {
    const { number, reference } = namesOf(tokens[index]);
    return `<sup id="fnref:${reference}"><a href="#fn:user-content-${number}">${number}</a></sup>`;
  };
  renderer.rules.footnote_block_open = () => '<div class="footnotes">\n<hr />\n<ol>\n';
  renderer.rules.footnote_block_close = () => '</ol>\n</div>\n';
  renderer.rules.footnote_open = (tokens, index) =>
    `<li id="fn:user-content-${namesOf(tokens[index]).number}">`;
  renderer.rules.footnote_close = () => '</li>\n';
  renderer.rules.footnote_anchor = (tokens, index) =>
    ` <a href="#fnref:${namesOf(tokens[index]).reference}">\u21a9\uFE0E</a>`;
}

function namesOf(token: Token | undefined): { number: number; reference: string } {
  // The plugin counts footnotes from 0, and the references of one footnote by `subId`.
  const { id = 0, subId = 0 } = (token?.meta ?? {}) as { id?: number; subId?: number };
  const number = id + 1;
  return { number, reference: `user-content-${number}${subId > 0 ? `:${subId}` : ''}` };
}
