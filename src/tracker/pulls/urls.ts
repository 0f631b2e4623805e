export const PULLS_URL = '/repos/:owner/:repo/pulls';
export const PULL_URL = `${PULLS_URL}/:number` as const;
