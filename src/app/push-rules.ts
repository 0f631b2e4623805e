import {
  ARCHIVED_RULE,
  DEFAULT_BRANCH_RULE,
  MIRROR_RULE,
  type PushRule,
  REF_NAME_RULE,
} from '../repositories/push-rules.ts';

/** Every rule about ref changes, in the order in which they decide: the first denial wins. */
export const PUSH_RULES: readonly PushRule[] = [
  ARCHIVED_RULE,
  MIRROR_RULE,
  DEFAULT_BRANCH_RULE,
  REF_NAME_RULE,
];
