import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../core/limits.ts';
import type { RenderAnswer, RenderWork } from '../model.ts';
import { type Environment, Holes } from './holes.ts';
import { parserFor } from './parser.ts';
import { sanitized } from './sanitize.ts';

const TOO_LARGE: RenderAnswer = {
  why: `the text becomes longer than ${LIMITS.renderedCharsMax} characters: make it shorter`,
};

/** Renders a text to safe HTML, in the thread. */
export function renderParts(work: RenderWork): RenderAnswer {
  const holes = new Holes(randomBytes(16).toString('hex'));
  const environment: Environment = { work, holes };
  const html = parserFor(work.keepsLines).render(work.text.toWellFormed(), { ...environment });
  if (html.length > LIMITS.renderedCharsMax) return TOO_LARGE;
  const safe = sanitized(html, work.bases);
  return safe.length > LIMITS.renderedCharsMax ? TOO_LARGE : { parts: holes.fill(safe) };
}
