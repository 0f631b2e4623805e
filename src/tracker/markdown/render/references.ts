import type { MarkdownIt, Token } from 'markdown-it';
import { findReferences } from '../../references/find.ts';
import type { Found } from '../../references/model.ts';
import { targetOf } from '../../references/urls.ts';
import { codeOpenedBy } from '../../references/visible.ts';
import { MARKDOWN_LIMITS } from '../limits.ts';
import type { LinkPart, LinkTarget } from '../model.ts';
import type { Environment } from './holes.ts';
import { type FoundInTracker, issuesOfTracker } from './tracker.ts';

type TokenKind = new (type: string, tag: string, nesting: 0) => Token;

/** Replaces references by marks, outside of code, links and HTML. */
export function markReferences(parser: MarkdownIt): void {
  parser.core.ruler.push('references', ({ tokens, env, Token: Kind }) => {
    const environment = env as unknown as Environment;
    if (environment.work.references === undefined) return;
    const marker = new Marker(environment, Kind, issuesInTracker(tokens, environment));
    for (const token of tokens) {
      if (token.type === 'inline' && token.children !== null) token.children = marker.mark(token.children);
    }
  });
}

type IssuesInTracker = ReturnType<typeof issuesOfTracker>;

/** Returns the issues of an external tracker by the texts that contain them. */
function issuesInTracker(tokens: readonly Token[], { work }: Environment): IssuesInTracker {
  const { tracker, withNumbers = false } = work.references ?? {};
  if (tracker === undefined || !withNumbers) return new Map();
  const texts = tokens.flatMap(({ children }) =>
    (children ?? []).flatMap(({ type, content }) => (type === 'text' ? [content] : [])),
  );
  return issuesOfTracker(texts, tracker);
}

class Marker {
  readonly #environment: Environment;
  readonly #kind: TokenKind;
  readonly #inTracker: IssuesInTracker;

  constructor(environment: Environment, kind: TokenKind, inTracker: IssuesInTracker) {
    this.#environment = environment;
    this.#kind = kind;
    this.#inTracker = inTracker;
  }

  mark(tokens: readonly Token[]): Token[] {
    const marked: Token[] = [];
    let linksOpen = 0;
    let codeOpen = 0;
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index] as Token;
      const url = linksOpen + codeOpen === 0 ? this.#urlAt(tokens, index) : undefined;
      if (url !== undefined) {
        marked.push(url);
        index += 2;
        continue;
      }
      if (token.type === 'html_inline') codeOpen = Math.max(0, codeOpen + codeOpenedBy(token.content));
      if (token.type === 'link_open' || token.type === 'link_close') linksOpen += token.nesting;
      const pieces = token.type === 'text' && linksOpen + codeOpen === 0 ? this.#inText(token) : [token];
      for (const piece of pieces) marked.push(piece);
    }
    return marked;
  }

  /** Returns a mark for a URL in the text that is the page of an issue or a commit. It stands for three tokens. */
  #urlAt(tokens: readonly Token[], index: number): Token | undefined {
    const open = tokens[index];
    if (open?.type !== 'link_open' || open.info !== 'auto') return undefined;
    if (this.#environment.holes.linksCount >= MARKDOWN_LIMITS.renderedLinksMax) return undefined;
    const url = String(open.attrGet('href') ?? '');
    const target = targetOf(url, this.#environment.work);
    return target === undefined
      ? undefined
      : this.#link({ label: tokens[index + 1]?.content ?? url, target, url });
  }

  #inText(token: Token): readonly Token[] {
    const pieces: Token[] = [];
    let end = 0;
    for (const found of this.#find(token.content)) {
      if (this.#environment.holes.linksCount >= MARKDOWN_LIMITS.renderedLinksMax) break;
      if (found.start < end) continue;
      if (found.start > end) pieces.push(this.#text(token, token.content.slice(end, found.start)));
      const label = token.content.slice(found.start, found.end);
      pieces.push(this.#link({ label, target: found.target }));
      end = found.end;
    }
    if (end === 0) return [token];
    pieces.push(this.#text(token, token.content.slice(end)));
    return pieces;
  }

  #find(text: string): readonly FoundInTracker[] {
    const { tracker, withNumbers } = this.#environment.work.references ?? { withNumbers: false };
    const found = findReferences(text, this.#environment.work).flatMap((one) => {
      const target = linkTargetOf(one);
      if (target === undefined) return [];
      const isNumber = target.kind === 'issue' && target.issue.repository === undefined;
      if (isNumber && !withNumbers) return [];
      // An external tracker has the issues. Pull requests stay here.
      if (isNumber && tracker !== undefined && target.issue.sign === '#') return [];
      return [{ start: one.start, end: one.end, target }];
    });
    const inTracker = this.#inTracker.get(text) ?? [];
    return [...found, ...inTracker].sort((one, other) => one.start - other.start);
  }

  #text(like: Token, content: string): Token {
    const token = new this.#kind('text', '', 0);
    token.level = like.level;
    token.content = content;
    return token;
  }

  #link(link: LinkPart): Token {
    const token = new this.#kind('text', '', 0);
    token.content = this.#environment.holes.add(link);
    return token;
  }
}

function linkTargetOf(found: Found): LinkTarget | undefined {
  switch (found.kind) {
    case 'mention':
      return { kind: 'mention', name: found.name };
    case 'issue':
      return { kind: 'issue', issue: found.issue };
    case 'commit':
      return { kind: 'commit', commit: found.commit };
    // Teams have no page.
    case 'team':
      return undefined;
  }
}
