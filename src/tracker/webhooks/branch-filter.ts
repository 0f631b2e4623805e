import { invalid } from '../../base/core/failure.ts';
import { parseGlob, StepBudget } from '../../base/core/text/globs.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

/** Which branches the pushes, creations and deletions are of that a webhook delivers. */
export interface BranchFilter {
  /** @param branch its short name */
  includes(branch: string): boolean;
}

const ALL: BranchFilter = { includes: () => true };

/**
 * Parses one pattern of branch names, such as `main`, `release/*` or `{main,release/**}`.
 *
 * @param text '' and `*` are all branches
 * @throws ForgeError `invalid`
 */
export function branchFilterOf(text: string): BranchFilter {
  if (text === '' || text === '*' || text === '**') return ALL;
  const globs = parseGlob(text, { alternativesMax: WEBHOOK_LIMITS.webhookFilterAlternativesMax });
  if (globs === undefined)
    throw invalid('[BranchFilter]: the pattern is malformed, or has too many alternatives');
  const budget = () => new StepBudget(WEBHOOK_LIMITS.webhookFilterStepsMax);
  return { includes: (branch) => globs.some((glob) => glob.matches(branch, budget())) };
}
