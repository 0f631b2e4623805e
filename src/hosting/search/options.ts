import type { Static, TObject } from 'typebox';
import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import {
  BY_NAME,
  type PersonsPart,
  type RepositoryOrder,
  type RepositorySelection,
  type RepositoryTrait,
  type SearchWords,
} from '../repositories/selection.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { SearchQuery } from './schema.ts';

type Query = Static<TObject<typeof SearchQuery>>;

const MODES = {
  fork: { fork: true },
  source: { fork: false, mirror: false },
  mirror: { mirror: true },
  collaborative: { mirror: false },
} as const satisfies Record<string, RepositorySelection['is']>;
type Mode = keyof typeof MODES;

const SORTS: ReadonlyMap<string, RepositoryOrder['by']> = new Map([
  ['alpha', 'name'],
  ['created', 'creation'],
  ['updated', 'change'],
  ['size', 'size'],
  // The size of a repository includes its large files. There is no order for either part alone.
  ['git_size', 'size'],
  ['lfs_size', 'id'],
  ['id', 'id'],
  ['stars', 'stars'],
  ['forks', 'forks'],
]);

/**
 * Parses the query of a search.
 *
 * @returns undefined if nothing can match: an owner that cannot exist, or text that cannot be stored
 * @throws ForgeError `invalid`
 */
export function selectionOf(viewer: Viewer, query: Query): RepositorySelection | undefined {
  const mode = modeOf(query.mode);
  const order = orderOf(query.sort, query.order);
  const words = wordsOf(query);
  const of = partOf(viewer, query, mode);
  if (words === undefined || of === 'none') return undefined;
  const [teamId, starredBy, firstOwnerId] = [query.team_id, query.starredBy, query.priority_owner_id].map(
    idOf,
  );
  return {
    is: traitsOf(query, mode),
    order,
    words,
    onlyOpenToAll: query.private === false,
    ...(of === undefined ? {} : { of }),
    ...(teamId === undefined ? {} : { teamId }),
    ...(starredBy === undefined ? {} : { starredBy }),
    ...(firstOwnerId === undefined ? {} : { firstOwnerId }),
  };
}

function modeOf(mode = ''): Mode | undefined {
  if (mode === '') return undefined;
  if (!Object.hasOwn(MODES, mode)) throw invalid(`Invalid search mode: "${mode}"`);
  return mode as Mode;
}

function orderOf(sort = '', order = ''): RepositoryOrder {
  // Without a sort mode, the direction is ignored, even an invalid one.
  if (sort === '') return BY_NAME;
  if (order !== '' && order !== 'asc' && order !== 'desc') throw invalid(`Invalid sort order: "${order}"`);
  const by = SORTS.get(sort);
  if (by === undefined) throw invalid(`Invalid sort mode: "${sort}"`);
  return { by, isDescending: order === 'desc' };
}

/** Parses an id. Ids start at 1; a smaller number counts as absent. */
function idOf(id: number | undefined): number | undefined {
  return id !== undefined && id > 0 ? id : undefined;
}

/** Parses whose repositories to find. `collaborative` overrides `exclusive`; without `uid`, it refers to the viewer. */
function partOf(viewer: Viewer, query: Query, mode: Mode | undefined): PersonsPart | 'none' | undefined {
  const uid = idOf(query.uid);
  if (mode === 'collaborative') {
    const accountId = uid ?? (isSignedIn(viewer) ? viewer.accountId : undefined);
    return accountId === undefined ? 'none' : { accountId, part: 'contributed' };
  }
  if (uid === undefined) return undefined;
  return { accountId: uid, part: query.exclusive === true ? 'owned' : 'both' };
}

function traitsOf(query: Query, mode: Mode | undefined): Partial<Record<RepositoryTrait, boolean>> {
  const { is_private: isPrivate, template, archived } = query;
  return {
    ...(mode === undefined ? {} : MODES[mode]),
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
    ...(template === undefined ? {} : { template }),
    ...(archived === undefined ? {} : { archived }),
  };
}

/** Parses comma-separated words, of which at least one must match; undefined if none can match. */
function wordsOf(query: Query): readonly SearchWords[] | undefined {
  const text = (query.q ?? '').trim();
  if (text.length > SEARCH_LIMITS.searchTextCharsMax)
    throw invalid(`[Q]: MaxSize(${SEARCH_LIMITS.searchTextCharsMax}): the text to search for is too long`);
  if (!isStorableText(text)) return undefined;
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > SEARCH_LIMITS.searchWordsMax)
    throw invalid(`[Q]: at most ${SEARCH_LIMITS.searchWordsMax} comma-separated words`);
  if (query.topic === true) return parts.map((topic) => ({ kind: 'topic', topic }));
  return parts.flatMap((part) => [
    { kind: 'text', text: part, inDescription: query.includeDesc === true } as const,
    ...pathIn(part),
  ]);
}

/** Parses `a/b` as a part of the owner's name and a part of the repository's name. */
function pathIn(part: string): readonly SearchWords[] {
  const [owner = '', name = '', ...more] = part.split('/');
  const isPath = part.includes('/') && more.length === 0 && owner + name !== '';
  return isPath ? [{ kind: 'path', owner, name }] : [];
}
