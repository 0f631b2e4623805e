import { type ProtectionDependencies, protectionRule } from '../code/protection/examine.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import { lfsRules } from '../hosting/lfs/push-rule.ts';
import {
  ARCHIVED_RULE,
  DEFAULT_BRANCH_RULE,
  MIRROR_RULE,
  type PushRule,
  REF_NAME_RULE,
} from '../hosting/repositories/refs/push-rules.ts';

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
