export const TOKEN_LIMITS = {
  tokenNameCharsMax: 255,
  tokensPerAccountMax: 1000,
  repositoriesPerTokenMax: 100,
  /** Days before the end of a token for which its owner gets a notice by mail, the last one first. */
  tokenNoticeDays: [1, 7],
  /** Tokens that end soon, read at once. */
  endingTokensReadMax: 50,
} as const;
