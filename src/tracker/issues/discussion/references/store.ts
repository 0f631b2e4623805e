import type { Db, Tx } from '../../../../base/database/database.ts';
import { fragment, joined, values } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { IssueState } from '../../model.ts';

/** Returns the text by which `issue_references` identifies a source of references. */
export function sourceOf(
  source:
    | { readonly issueId: number }
    | { readonly entryId: number }
    | { readonly repositoryId: RepositoryId; readonly commit: string },
): string {
  if ('issueId' in source) return `issue:${source.issueId}`;
  if ('entryId' in source) return `comment:${source.entryId}`;
  return `commit:${source.repositoryId}:${source.commit}`;
}

/** An issue to which a text refers. */
export interface FoundTarget {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  readonly number: number;
  readonly isPull: boolean;
}

/** Finds issues by their numbers in repositories. */
export async function findTargets(
  tx: Tx,
  targets: readonly { readonly repositoryId: RepositoryId; readonly number: number }[],
): Promise<readonly FoundTarget[]> {
  if (targets.length === 0) return [];
  const byRepository = Map.groupBy(targets, ({ repositoryId }) => repositoryId);
  const conditions = [...byRepository].map(
    ([id, named]) =>
      fragment`(i.repository_id = ${id} and i.number in (${values(named.map(({ number }) => number))}))`,
  );
  const rows = await query<{ id: number; repository_id: number; number: number; is_pull: number }>(
    tx,
    fragment`select i.id, i.repository_id, i.number, i.is_pull from issues i
      where ${joined(conditions, ' or ')} order by i.id`,
  );
  return rows.map(({ id, repository_id, number, is_pull }) => ({
    id,
    repositoryId: repository_id,
    number,
    isPull: is_pull === 1,
  }));
}

/** Finds the open issues of a repository with some numbers, without its pull requests. */
export async function findOpenIssues(
  db: Db,
  repositoryId: RepositoryId,
  numbers: readonly number[],
): Promise<readonly Pick<IssueState, 'id' | 'number' | 'authorId' | 'isPull'>[]> {
  if (numbers.length === 0) return [];
  const rows = await query<{ id: number; number: number; author_id: number | null }>(
    db,
    fragment`select i.id, i.number, i.author_id from issues i where i.repository_id = ${repositoryId}
      and i.number in (${values(numbers)}) and i.is_pull = 0 and i.is_closed = 0`,
  );
  return rows.map(({ id, number, author_id: authorId }) => ({ id, number, authorId, isPull: false }));
}

/** Records that a source refers to issues. @returns the ids of the issues to which it did not refer before */
export async function insertReferences(
  tx: Tx,
  source: string,
  issueIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (issueIds.length === 0) return new Set();
  const rows = await query<{ issue_id: number }>(
    tx,
    fragment`insert into issue_references (issue_id, source)
      values ${joined(
        issueIds.map((id) => fragment`(${id}, ${source})`),
        ', ',
      )} on conflict (issue_id, source) do nothing returning issue_id`,
  );
  return new Set(rows.map(({ issue_id }) => issue_id));
}
