import { invalid } from '../../base/core/failure.ts';
import { type Glob, parseGlob, StepBudget } from '../../base/core/text/globs.ts';
import { PUSH_MIRROR_LIMITS } from './limits.ts';

/** Which branches a push mirror pushes. */
export interface BranchFilter {
  /** @param branch its short name */
  includes(branch: string): boolean;
}

const ALL: BranchFilter = { includes: () => true };

/**
 * Parses patterns of branch names, separated by commas. `*` stands for anything within one part of a name, and `**` for
 * anything.
 *
 * @throws ForgeError `invalid`
 */
export function branchFilterOf(text: string): BranchFilter {
  const patterns = text
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  if (patterns.length === 0) return ALL;
  if (patterns.length > PUSH_MIRROR_LIMITS.pushMirrorFilterPatternsMax)
    throw invalid(`a branch filter has at most ${PUSH_MIRROR_LIMITS.pushMirrorFilterPatternsMax} patterns`);
  const globs = patterns.flatMap(globsOf);
  const budget = new StepBudget(PUSH_MIRROR_LIMITS.pushMirrorFilterStepsMax);
  return { includes: (branch) => globs.some((glob) => glob.matches(branch, budget)) };
}

function globsOf(pattern: string): readonly Glob[] {
  // A comma ends a pattern, so braces have one alternative.
  const globs = parseGlob(pattern, { alternativesMax: 1 });
  if (globs === undefined) throw invalid('a pattern of the branch filter is malformed');
  return globs;
}
