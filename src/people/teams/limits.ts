export const TEAM_LIMITS = {
  teamNameCharsMax: 255,
  teamsPerOrganizationMax: 1000,
} as const;
