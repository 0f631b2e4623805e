import { ACCOUNT_RULES } from './account-rules.ts';
import { REPOSITORY_RULES } from './repository-rules.ts';
import type { EventRule, Rules } from './rule.ts';
import { ORGANIZATION_LABEL_RULES, TRACKER_RULES } from './tracker-rules.ts';

const RULES = mapOf(REPOSITORY_RULES, TRACKER_RULES, ACCOUNT_RULES);
const WITHOUT_REPOSITORY = mapOf(ORGANIZATION_LABEL_RULES);

/**
 * Returns the rule by which events of a kind are shown; undefined for kinds that no feed shows.
 *
 * @param repositoryId of the event
 */
export function ruleOf(kind: string, repositoryId: number | null): EventRule | undefined {
  return (repositoryId === null ? WITHOUT_REPOSITORY.get(kind) : undefined) ?? RULES.get(kind);
}

/** All rules, each with the name of its kind of event. A kind has two if some of its events have no repository. */
export const ALL_RULES: Rules = [...RULES, ...WITHOUT_REPOSITORY];

/** @throws Error if a kind of event has two rules: the second one would replace the first without notice */
function mapOf(...lists: readonly Rules[]): ReadonlyMap<string, EventRule> {
  const rules = new Map<string, EventRule>();
  for (const [kind, rule] of lists.flat()) {
    if (rules.has(kind)) throw new Error(`the event ${kind} has two rules`);
    rules.set(kind, rule);
  }
  return rules;
}
