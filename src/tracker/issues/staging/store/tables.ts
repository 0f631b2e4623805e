import { raw } from '../../../../base/database/fragment.ts';

export const ISSUES = {
  table: raw('staged_issues'),
  key: raw('number'),
  details: [raw('staged_issue_labels'), raw('staged_issue_assignees')],
};
export const COMMENTS = { table: raw('staged_comments'), key: raw('comment_key') };

/** In the order of deletion: comments before their issues. */
export const STAGED_TABLES = [COMMENTS, ISSUES];
