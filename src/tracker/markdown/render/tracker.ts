import { createContext, Script } from 'node:vm';
import type { ExternalTracker } from '../../../hosting/repositories/units.ts';
import { MARKDOWN_LIMITS } from '../limits.ts';
import type { LinkTarget } from '../model.ts';

export interface FoundInTracker {
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

type Tracker = Pick<ExternalTracker, 'style' | 'pattern'>;

const NUMERIC = /(?<=^|[\s([|'"])#(\d{1,16})(?=$|[\s)\]|'"]|[:;,.?!](?:\s|$))/g;
const ALPHANUMERIC = /(?<=^|[\s([|'"])([A-Z]{1,10}-[1-9]\d*)(?=$|[\s)\]|:'",]|\.(?:\s|$))/g;

/**
 * Finds the issues of an external tracker in each of these texts. The pattern of a user takes any time, so it runs only in
 * the thread, and ends after `MARKDOWN_LIMITS.trackerPatternMs`. The rest of the texts then has no such issues.
 */
export function issuesOfTracker(
  texts: Iterable<string>,
  tracker: Tracker,
): ReadonlyMap<string, readonly FoundInTracker[]> {
  const found = new Map<string, readonly FoundInTracker[]>();
  const pattern = patternOf(tracker);
  if (pattern === undefined) return found;
  const findAll = () => {
    for (const text of new Set(texts)) found.set(text, matchesIn(text, pattern));
  };
  if (tracker.style === 'regexp') runBounded(findAll);
  else findAll();
  return found;
}

function matchesIn(text: string, pattern: RegExp): readonly FoundInTracker[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    // The first group that took part has the index. A pattern may have several alternatives.
    const index = match.slice(1).find((group) => group !== undefined);
    if (index === undefined || match[0] === '') return [];
    return [{ start: match.index, end: match.index + match[0].length, target: { kind: 'external', index } }];
  });
}

const bounded: { work: () => void } = { work: () => {} };
const context = createContext(bounded);
const script = new Script('work()');

/** Runs work that is ended after its time. Only a script can be ended without its thread. */
function runBounded(work: () => void): void {
  bounded.work = work;
  try {
    script.runInContext(context, { timeout: MARKDOWN_LIMITS.trackerPatternMs });
  } catch {
    // The time is over, or the pattern becomes too large when it is first used.
  }
}

function patternOf({ style, pattern }: Tracker): RegExp | undefined {
  if (style === 'numeric') return NUMERIC;
  if (style === 'alphanumeric') return ALPHANUMERIC;
  try {
    return new RegExp(pattern, 'gu');
  } catch {
    return undefined;
  }
}
