import { sql } from 'kysely';
import { packedPermissions, permissionJoin } from '../../api/access/store/repository.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { queryPage } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Topic } from './model.ts';

interface TopicRow {
  id: number;
  name: string;
  repositories_count: number;
  created_at: number;
  updated_at: number;
}

/** Lists the topics of visible repositories whose name matches a pattern, the most frequent first. */
export function searchTopics(db: Db, viewer: Viewer, pattern: string, paging: Paging): Promise<Page<Topic>> {
  const topics = {
    select: fragment`t.*`,
    from: fragment`topics t where t.name like ${pattern} escape '\\' and exists (
      select 1 from repository_topics rt
        join repositories r on r.id = rt.repository_id
        join accounts o on o.id = r.owner_id
        ${permissionJoin(viewer)}
        where rt.topic_id = t.id and ${packedPermissions(viewer)} > 0)`,
    orderBy: fragment`t.repositories_count desc, t.name`,
  };
  return queryPage(db, topics, paging, topicOfRow);
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

/** @param names sorted, so that two transactions lock the same topics in the same order */
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

/** Removes a repository from the counts of its topics, before it is deleted. */
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

/** Deletes topics that no repository has. */
async function deleteUnused(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('topics').where('id', 'in', ids).execute();
}
