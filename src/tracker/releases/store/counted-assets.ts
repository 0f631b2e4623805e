import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { CountedFiles } from '../../../hosting/quota/model.ts';

interface CountedRow {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly owner: string;
  readonly repository: string;
  readonly release_id: number;
  readonly tag: string;
}

const PLACES = fragment`release_assets a join repositories r on r.id = a.repository_id`;

/** The assets of releases in all repositories of an owner, which count for its quota. The largest is first. */
export const ASSETS_OF_OWNER: CountedFiles = {
  async count(db, ownerId) {
    const row = await queryFirst<{ count: number }>(
      db,
      fragment`select count(*) as count from ${PLACES}
        where r.owner_id = ${ownerId} and a.release_id is not null and a.external_url = ''`,
    );
    return row?.count ?? 0;
  },

  async list(db, ownerId, { offset, limit }) {
    const rows = await query<CountedRow>(
      db,
      fragment`select a.id, a.name, a.bytes, o.name as owner, r.name as repository, a.release_id, v.tag
        from ${PLACES} join accounts o on o.id = r.owner_id join releases v on v.id = a.release_id
        where r.owner_id = ${ownerId} and a.external_url = ''
        order by a.bytes desc, a.id limit ${limit} offset ${offset}`,
    );
    return rows.map((row) => {
      const release = `/repos/${row.owner}/${row.repository}/releases/${row.release_id}`;
      const tag = row.tag.split('/').map(encodeURIComponent).join('/');
      return {
        name: row.name,
        sizeBytes: row.bytes,
        apiPath: `${release}/assets/${row.id}`,
        containedIn: { apiPath: release, pagePath: `/${row.owner}/${row.repository}/releases/tag/${tag}` },
      };
    });
  },
};
