export const ISSUES_URL = '/repos/:owner/:repo/issues';
export const ISSUE_URL = `${ISSUES_URL}/:number` as const;
