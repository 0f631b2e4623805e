import type { Db } from '../../../base/database/database.ts';
import { fragment, joined, raw } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/model.ts';
import { isOfPart, type Part, partsOf } from './conditions.ts';
import { countEach } from './sorted.ts';
import { type IssueSelection, isCovered, issuesSortedBy, matchesOf, unionOf, type Way } from './ways.ts';

/** A part, and the number of its issues that match a selection. */
export interface CountedPart {
  readonly part: Part;
  readonly count: number;
}

/** Counts the matches of each part. */
export async function countParts(
  db: Db,
  way: Way,
  selection: IssueSelection,
): Promise<readonly CountedPart[]> {
  const parts = partsOf(selection);
  const counts =
    way.by === 'order' && isCovered(way, selection)
      ? await countInTime(db, selection, parts)
      : await countEach(
          db,
          parts.map((part) =>
            matchesOf(way, selection, part, { check: way.isLong === true ? 'lists' : 'rows' }),
          ),
        );
  return parts.map((part, at) => ({ part, count: counts[at] ?? 0 }));
}

/** Counts all issues in a range of time. If fewer seem to be outside of it, counts those and subtracts. */
async function countInTime(
  db: Db,
  selection: IssueSelection,
  parts: readonly Part[],
): Promise<readonly number[]> {
  const { repositoryId, since, before } = selection;
  const hasTimes = since !== undefined || before !== undefined;
  const stored = parts.filter(({ isPull }) => !isPull);
  const outside = stored.length > 0 && hasTimes ? await rangesOutside(db, selection, stored) : [];
  const isKnown = (part: Part) => outside !== undefined && stored.includes(part);
  const counts = await countEach(
    db,
    parts.map((part) => {
      if (!isKnown(part)) return matchesOf({ by: 'order' }, selection, part);
      const ofPart = { ...selection, since: undefined, before: undefined };
      const found = (outside ?? []).map((more) =>
        matchesOf({ by: 'order' }, ofPart, part, { sortedBy: 'updated', more: [more] }),
      );
      return unionOf(found);
    }),
  );
  if (!parts.some(isKnown)) return counts;
  const { open, closed } = await countsOfRepository(db, repositoryId);
  return parts.map((part, at) => {
    const count = counts[at] ?? 0;
    return isKnown(part) ? (part.isClosed ? closed : open) - count : count;
  });
}

/** @returns undefined if at least half of the time is outside of the range */
async function rangesOutside(
  db: Db,
  { repositoryId, since, before }: IssueSelection,
  parts: readonly Part[],
) {
  const ends = parts.map((part) => {
    const from = fragment`from issues i ${issuesSortedBy('updated')}
      where i.repository_id = ${repositoryId} and ${isOfPart(raw('i'), part)}`;
    return fragment`select (select min(i.updated_at) ${from}) as first, (select max(i.updated_at) ${from}) as last`;
  });
  const span = await queryFirst<{ first: number | null; last: number | null }>(
    db,
    fragment`select min(first) as first, max(last) as last from (${joined(ends, ' union all ')}) parts`,
  );
  const { first = null, last = null } = span ?? {};
  if (first === null || last === null) return undefined;
  const inside = Math.min(before ?? last, last) - Math.max(since ?? first, first);
  if (inside <= (last - first) / 2) return undefined;
  return [
    ...(since === undefined ? [] : [fragment`i.updated_at < ${since}`]),
    ...(before === undefined ? [] : [fragment`i.updated_at > ${before}`]),
  ];
}

/** Reads the counts of issues from the row of the repository. */
export async function countsOfRepository(
  db: Db,
  id: RepositoryId,
): Promise<{ readonly open: number; readonly closed: number }> {
  const row = await queryFirst<{ open: number; closed: number }>(
    db,
    fragment`select open_issues_count as open, closed_issues_count as closed from repositories where id = ${id}`,
  );
  return row ?? { open: 0, closed: 0 };
}
