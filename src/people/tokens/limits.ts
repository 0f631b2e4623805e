export const TOKEN_LIMITS = {
  tokenNameCharsMax: 255,
  tokensPerAccountMax: 1000,
  repositoriesPerTokenMax: 100,
} as const;
