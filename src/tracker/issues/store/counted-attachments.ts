import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { CountedFile, CountedFiles } from '../../../hosting/quota/model.ts';

interface CountedRow {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly owner: string;
  readonly repository: string;
  readonly number: number;
  readonly is_pull: number;
  /** of the comment; null: the attachment belongs to the issue */
  readonly comment_id: number | null;
}

const PLACES = fragment`issue_attachments a join repositories r on r.id = a.repository_id`;

/** The attachments in all repositories of an owner, which count for its quota. The largest is first. */
export const ATTACHMENTS_OF_OWNER: CountedFiles = {
  async count(db, ownerId) {
    const row = await queryFirst<{ count: number }>(
      db,
      fragment`select count(*) as count from ${PLACES} where r.owner_id = ${ownerId} and a.issue_id is not null`,
    );
    return row?.count ?? 0;
  },

  async list(db, ownerId, { offset, limit }) {
    const rows = await query<CountedRow>(
      db,
      fragment`select a.id, a.name, a.bytes, o.name as owner, r.name as repository, i.number, i.is_pull,
          a.entry_id as comment_id
        from ${PLACES} join accounts o on o.id = r.owner_id join issues i on i.id = a.issue_id
        where r.owner_id = ${ownerId} order by a.bytes desc, a.id limit ${limit} offset ${offset}`,
    );
    return rows.map(fileOf);
  },
};

function fileOf(row: CountedRow): CountedFile {
  const repository = `${row.owner}/${row.repository}`;
  const issues = `/repos/${repository}/issues`;
  const isOfComment = row.comment_id !== null;
  const subject = isOfComment ? `${issues}/comments/${row.comment_id}` : `${issues}/${row.number}`;
  const page = `/${repository}/${row.is_pull === 1 ? 'pulls' : 'issues'}/${row.number}`;
  return {
    name: row.name,
    sizeBytes: row.bytes,
    apiPath: `${subject}/assets/${row.id}`,
    containedIn: {
      apiPath: subject,
      pagePath: isOfComment ? `${page}#issuecomment-${row.comment_id}` : page,
    },
  };
}
