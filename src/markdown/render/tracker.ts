import type { ExternalTracker } from '../../repositories/units.ts';
import type { LinkTarget } from '../model.ts';

export interface FoundInTracker {
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

const NUMERIC = /(?<=^|[\s([|'"])#(\d{1,16})(?=$|[\s)\]|'"]|[:;,.?!](?:\s|$))/g;
const ALPHANUMERIC = /(?<=^|[\s([|'"])([A-Z]{1,10}-[1-9]\d*)(?=$|[\s)\]|:'",]|\.(?:\s|$))/g;

/** Finds the issues of an external tracker. The pattern of a user takes any time: only the thread may run it. */
export function issuesOfTracker(
  text: string,
  tracker: Pick<ExternalTracker, 'style' | 'pattern'>,
): readonly FoundInTracker[] {
  const pattern = patternOf(tracker);
  if (pattern === undefined) return [];
  return [...text.matchAll(pattern)].flatMap((match) => {
    // The first group that took part has the index. A pattern may have several alternatives.
    const index = match.slice(1).find((group) => group !== undefined);
    if (index === undefined || match[0] === '') return [];
    return [{ start: match.index, end: match.index + match[0].length, target: { kind: 'external', index } }];
  });
}

function patternOf({ style, pattern }: Pick<ExternalTracker, 'style' | 'pattern'>): RegExp | undefined {
  if (style === 'numeric') return NUMERIC;
  if (style === 'alphanumeric') return ALPHANUMERIC;
  try {
    return new RegExp(pattern, 'gu');
  } catch {
    return undefined;
  }
}
