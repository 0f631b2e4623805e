import { ACCOUNT_RULES } from './account-rules.ts';
import { REPOSITORY_RULES } from './repository-rules.ts';
import type { EventRule } from './rule.ts';
import { ORGANIZATION_LABEL_RULES, TRACKER_RULES } from './tracker-rules.ts';

const RULES = new Map(Object.entries({ ...REPOSITORY_RULES, ...TRACKER_RULES, ...ACCOUNT_RULES }));
const WITHOUT_REPOSITORY = new Map(Object.entries(ORGANIZATION_LABEL_RULES));

/**
 * Returns the rule by which events of a kind are shown; undefined for kinds that no feed shows.
 *
 * @param repositoryId of the event
 */
export function ruleOf(kind: string, repositoryId: number | null): EventRule | undefined {
  return (repositoryId === null ? WITHOUT_REPOSITORY.get(kind) : undefined) ?? RULES.get(kind);
}
