export const QUOTA_LIMITS = {
  quotaNameCharsMax: 255,
  quotaRulesMax: 1_000,
  quotaGroupsMax: 1_000,
  quotaRulesPerGroupMax: 100,
  quotaGroupsPerAccountMax: 100,
  quotaAccountsPerGroupMax: 10_000,
} as const;
