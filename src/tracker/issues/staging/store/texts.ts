import { dialectOf, type Tx } from '../../../../base/database/database.ts';
import { type Fragment, fragment, literal, raw, usingIndex } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../../limits.ts';

/** Texts that are listed together. */
export type ListedTexts = 'issue' | 'comment' | 'review' | 'line';

/** A text whose words are to be indexed. */
export interface TextRow {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** '' unless it is an issue */
  readonly title: string;
  readonly body: string;
}

/** Up to where the texts of a repository have been listed. */
export interface TextPlace {
  readonly id: number;
  /** of a comment on lines: its review; 0 for other texts */
  readonly reviewId: number;
}

interface Range {
  readonly repositoryId: RepositoryId;
  readonly after: TextPlace;
}

/**
 * Lists texts of a repository, and locks them against edits: comments on lines in the order of their reviews, and other texts
 * in the order of their ids.
 *
 * @returns the texts, and the place of the last one; undefined after all of them
 */
export async function lockTexts(
  tx: Tx,
  texts: ListedTexts,
  range: Range,
): Promise<{ readonly rows: readonly TextRow[]; readonly last: TextPlace | undefined }> {
  const hold = raw(dialectOf(tx) === 'postgres' ? `for update${texts === 'line' ? ' of c' : ''}` : '');
  const limit = ISSUE_LIMITS.importedTextsIndexedAtOnce;
  const found = await query<TextPlace & Omit<TextRow, 'repositoryId'>>(
    tx,
    fragment`${selectionOf(texts, range)} limit ${literal(limit)} ${hold}`,
  );
  const { repositoryId } = range;
  const rows = found.map(({ id, title, body }) => ({ id, title, body, repositoryId }));
  return { rows, last: found.length < limit ? undefined : found.at(-1) };
}

function selectionOf(texts: ListedTexts, { repositoryId, after }: Range): Fragment {
  const { id, reviewId } = after;
  switch (texts) {
    case 'issue':
      return fragment`select id, 0 as "reviewId", title, body from issues
        where repository_id = ${repositoryId} and id > ${id} order by id`;
    case 'comment':
    case 'review':
      return fragment`select id, 0 as "reviewId", '' as title, body from issue_entries
        where repository_id = ${repositoryId} and kind = ${texts} and id > ${id} order by id`;
    case 'line':
      return fragment`select c.id, v.id as "reviewId", '' as title, c.body
        from pull_reviews v ${REVIEWS_OF_REPOSITORY} cross join pull_review_comments c
        where v.repository_id = ${repositoryId} and v.entry_id is not null and c.review_id = v.id
          and v.id >= ${reviewId} and (v.id > ${reviewId} or c.id > ${id}) order by v.id, c.id`;
  }
}

const REVIEWS_OF_REPOSITORY = usingIndex('pull_reviews_repository');
