export const CODE_OWNER_LIMITS = {
  codeOwnersBytesMax: 256 * 1024,
  /** Rules of one file; further ones are ignored, and so is a rule with a longer pattern. */
  codeOwnerRulesMax: 2_000,
  codeOwnerPatternCharsMax: 512,
  /** Users and teams that one rule names. */
  ownersPerRuleMax: 50,
  /** Repetitions that a pattern can require, as in Go, and what it may need when it is compiled. */
  codeOwnerRepeatsMax: 1_000,
  codeOwnerStepsPerPatternMax: 2_000,
  /** Steps of comparing all changed files with all rules, and steps before other work gets a turn. */
  codeOwnerStepsMax: 20_000_000,
  codeOwnerStepsInOneGo: 200_000,
  /** Owners of whom reviews of one pull request are requested. */
  codeOwnersRequestedMax: 50,
} as const;
