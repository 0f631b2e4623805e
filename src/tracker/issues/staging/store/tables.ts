import { raw } from '../../../../base/database/fragment.ts';

export const ISSUES = { table: raw('staged_issues'), key: raw('number') };
export const COMMENTS = { table: raw('staged_comments'), key: raw('comment_key') };
