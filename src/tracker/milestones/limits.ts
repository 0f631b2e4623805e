export const MILESTONE_LIMITS = {
  milestonesPerRepositoryMax: 1_000,
  milestoneTitleCharsMax: 255,
  milestoneDescriptionCharsMax: 65_536,
} as const;
