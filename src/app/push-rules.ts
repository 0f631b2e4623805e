import type { LfsSettings } from '../lfs/model.ts';
import { lfsRules } from '../lfs/push-rule.ts';
import { type ProtectionDependencies, protectionRule } from '../protection/examine.ts';
import {
  ARCHIVED_RULE,
  DEFAULT_BRANCH_RULE,
  MIRROR_RULE,
  type PushRule,
  REF_NAME_RULE,
} from '../repositories/push-rules.ts';

/**
 * Returns every rule about ref changes, in the order in which they decide: the first denial wins. Rules that examine a
 * push come after the others, because they take longer.
 */
export function pushRulesOf(
  dependencies: ProtectionDependencies,
  lfsSettings: LfsSettings,
): readonly PushRule[] {
  return [
    ARCHIVED_RULE,
    MIRROR_RULE,
    DEFAULT_BRANCH_RULE,
    REF_NAME_RULE,
    protectionRule(dependencies),
    ...lfsRules(dependencies.database, lfsSettings),
  ];
}
