import { raw } from '../../../../base/database/fragment.ts';

export const PULLS = { table: raw('staged_pulls'), key: raw('number') };
export const REQUESTS = { table: raw('staged_review_requests'), key: raw('number') };
export const REVIEWS = { table: raw('staged_reviews'), key: raw('review_key') };
export const REVIEW_COMMENTS = { table: raw('staged_review_comments'), key: raw('comment_key') };

/** In the order of deletion: comments before their reviews. */
export const STAGED_TABLES = [REVIEW_COMMENTS, REVIEWS, REQUESTS, PULLS];
