import { sql } from 'kysely';
import { HELD_JOIN, HELD_LEVEL, heldParameters, viewerParameter } from '../access/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import type { Topic } from './model.ts';

interface TopicRow {
  id: number;
  name: string;
  repositories_count: number;
  created_at: number;
  updated_at: number;
}

/** A topic that only hidden repositories have is hidden with them. */
const FOUND = `from topics t where t.name like ? escape '\\' and exists (
    select 1 from repository_topics rt
      join repositories r on r.id = rt.repository_id
      join accounts o on o.id = r.owner_id
      ${HELD_JOIN}
      where rt.topic_id = t.id and ${HELD_LEVEL} > 0)`;
const page = hotQuery<TopicRow>(
  `select t.* ${FOUND} order by t.repositories_count desc, t.name limit ? offset ?`,
);
const count = hotQuery<{ total: number }>(`select count(*) as total ${FOUND}`);

/** Those whose name matches a pattern and that a repository has which the viewer may see; the most frequent first. */
export async function searchTopics(
  db: Db,
  viewer: Viewer,
  pattern: string,
  paging: Paging,
): Promise<Page<Topic>> {
  const chosen = [pattern, viewerParameter(viewer), ...heldParameters(viewer)];
  const rows = await page(db, [...chosen, paging.limit, offsetOf(paging)]);
  const [counted] = await count(db, chosen);
  return { items: rows.map(topicOfRow), total: counted?.total ?? 0 };
}

function topicOfRow(row: TopicRow): Topic {
  return {
    id: row.id,
    name: row.name,
    repositoriesCount: row.repositories_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** @param names in order, so that two who add the same wait for each other one way only */
export async function addTopics(
  tx: Tx,
  repositoryId: RepositoryId,
  names: readonly string[],
  at: number,
): Promise<void> {
  if (names.length === 0) return;
  const rows = await tx
    .insertInto('topics')
    .values(names.map((name) => ({ name, repositories_count: 1, created_at: at, updated_at: at })))
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        repositories_count: sql<number>`topics.repositories_count + 1`,
        updated_at: at,
      }),
    )
    .returning('id')
    .execute();
  await tx
    .insertInto('repository_topics')
    .values(rows.map(({ id }) => ({ repository_id: repositoryId, topic_id: id })))
    .execute();
}

export async function removeTopics(
  tx: Tx,
  repositoryId: RepositoryId,
  names: readonly string[],
  at: number,
): Promise<void> {
  if (names.length === 0) return;
  const rows = await tx
    .updateTable('topics')
    .set({ repositories_count: sql<number>`repositories_count - 1`, updated_at: at })
    .where('name', 'in', names)
    .returning(['id', 'repositories_count'])
    .execute();
  await tx
    .deleteFrom('repository_topics')
    .where('repository_id', '=', repositoryId)
    .where(
      'topic_id',
      'in',
      rows.map((row) => row.id),
    )
    .execute();
  await deleteUnused(
    tx,
    rows.filter((row) => row.repositories_count === 0).map((row) => row.id),
  );
}

/** Before a repository goes: its topics are counted without it. */
export async function uncountTopicsOf(tx: Tx, repositoryId: RepositoryId): Promise<void> {
  const rows = await tx
    .updateTable('topics')
    .set({ repositories_count: sql<number>`repositories_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('repository_topics').select('topic_id').where('repository_id', '=', repositoryId),
    )
    .returning(['id', 'repositories_count'])
    .execute();
  await deleteUnused(
    tx,
    rows.filter((row) => row.repositories_count === 0).map((row) => row.id),
  );
}

/** Nobody has these any more; what is left of them goes along. */
async function deleteUnused(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('topics').where('id', 'in', ids).execute();
}
