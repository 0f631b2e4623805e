import { randomBytes } from 'node:crypto';
import type { Token } from 'markdown-it';
import { MARKDOWN_LIMITS } from '../limits.ts';
import type { RenderAnswer, RenderWork } from '../model.ts';
import { type Environment, Holes } from './holes.ts';
import { parserFor } from './parser.ts';
import { sanitized } from './sanitize.ts';

const TOO_LARGE: RenderAnswer = {
  why: `the text becomes longer than ${MARKDOWN_LIMITS.renderedCharsMax} characters: make it shorter`,
};

/** Renders a text to safe HTML, in the thread. */
export function renderParts(work: RenderWork): RenderAnswer {
  const holes = new Holes(randomBytes(16).toString('hex'));
  const environment: Environment = { work, holes };
  const parser = parserFor(work.keepsLines);
  const env = { ...environment };
  const tokens = parser.parse(work.text.toWellFormed(), env);
  if (charsOf(tokens) > MARKDOWN_LIMITS.renderedCharsMax) return TOO_LARGE;
  const html = parser.renderer.render(tokens, parser.options, env);
  if (html.length > MARKDOWN_LIMITS.renderedCharsMax) return TOO_LARGE;
  const safe = sanitized(html, work.bases);
  return safe.length > MARKDOWN_LIMITS.renderedCharsMax ? TOO_LARGE : { parts: holes.fill(safe) };
}

/** The characters of texts and attributes. Many links may share one long address, so this is known before it is copied. */
function charsOf(tokens: readonly Token[]): number {
  let chars = 0;
  for (const { content, attrs, children } of tokens) {
    chars += children === null ? content.length : charsOf(children);
    for (const [, value] of attrs ?? []) chars += String(value).length;
  }
  return chars;
}
