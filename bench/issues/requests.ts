import { COMMENTS_IN_THREAD, LONG_THREAD, wordOfRank } from '../corpus/tracker.ts';

/** A request to measure. */
export interface Request {
  /** below the root of the API */
  readonly path: string;
  /** a site administrator, or a user who may read 1,000 of the private repositories */
  readonly as: 'admin' | 'member';
}

export const LARGE = '/repos/root/large/issues';
const EVERYWHERE = '/repos/issues/search';
const DAY_7 = '1970-01-08T00:00:00Z';
const DAY_3 = '1970-01-03T00:00:00Z';
const LAST_DAY = '1970-01-12T12:00:00Z';
const SORTS = [
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
];

const [FIRST, SECOND] = [wordOfRank(1), wordOfRank(2)];
const PHRASE = `%22${FIRST}+${SECOND}%22`;

/** Beginnings of words: of frequent ones, which the index of beginnings has or has not, of others, and four at once. */
const BEGINNINGS = ['com', 'comm', wordOfRank(80).slice(0, 3), 'pato', 'com+comm+fabe+zep', '%22be%22+comm'];

/** Words of queries: the most frequent ones, others, none, phrases, beginnings. */
const WORDS = [
  FIRST,
  `%22${FIRST}%22`,
  'common',
  wordOfRank(9_000),
  'zephyr',
  'zeph',
  'absent',
  wordOfRank(80),
  PHRASE,
  `%22${wordOfRank(10)}+${wordOfRank(11)}%22`,
  `${FIRST}+${SECOND}+common`,
  `${wordOfRank(300)}+${wordOfRank(301)}`,
  'zephyr+common',
  ...BEGINNINGS,
];

/** Pages of the comments of one issue, which go on for three days and a half. */
const THREAD: readonly ((pages: number) => string)[] = [
  () => '',
  (pages) => `page=${pages / 2}`,
  (pages) => `page=${pages}`,
  () => `since=${DAY_3}`,
  (pages) => `since=${DAY_3}&page=${Math.floor(pages / 5)}`,
  () => `before=${DAY_3}`,
];

/** Lists, searches and counts: every filter and order, alone and combined, first and late pages. */
export function requestsOf({ inOne, limit }: { inOne: number; limit: number }): readonly Request[] {
  const pageAt = (part: number) => Math.max(1, Math.floor((inOne * part) / limit));
  const lists = [
    '',
    `page=${pageAt(0.3)}`,
    'state=closed',
    'state=all',
    `state=all&page=${pageAt(0.5)}`,
    `state=all&page=${pageAt(1)}`,
    'type=issues&state=all',
    'type=pulls&state=all',
    ...SORTS.map((sort) => `state=all&sort=${sort}`),
    `state=all&sort=recentupdate&page=${pageAt(0.5)}`,
    `state=all&sort=mostcomment&page=${pageAt(0.5)}`,
    'labels=bug',
    `labels=bug&page=${pageAt(0.09)}`,
    'labels=bug&sort=recentupdate',
    `labels=bug&state=all&sort=recentupdate&page=${pageAt(0.15)}`,
    'labels=rare&state=all',
    'labels=rare&state=all&sort=recentupdate',
    'labels=bug,rare&state=all',
    'labels=area/ui&state=all',
    'milestones=M3&state=all',
    'milestones=M3,M4&state=all&sort=leastupdate',
    'created_by=user-7&state=all',
    'assigned_by=user-7',
    'assigned_by=user-7&labels=bug&sort=leastupdate',
    'mentioned_by=user-7&state=all',
    `state=all&since=${DAY_7}`,
    `state=all&since=${LAST_DAY}`,
    `state=all&before=${DAY_3}`,
    `state=all&since=${DAY_3}&before=${DAY_7}`,
    `labels=bug&state=all&since=${DAY_7}`,
    `labels=bug&state=all&created_by=user-7&since=${DAY_3}&sort=recentupdate`,
    ...['mostcomment', 'nearduedate'].flatMap((sort) => [
      `labels=bug&state=all&sort=${sort}&page=${pageAt(0.15)}`,
      `state=all&since=${DAY_3}&sort=${sort}`,
      `state=all&since=${DAY_3}&sort=${sort}&page=${pageAt(0.4)}`,
      `labels=bug&state=all&since=${DAY_3}&sort=${sort}`,
    ]),
    'milestones=M3,M4&state=all',
    `created_by=user-7&state=all&since=${DAY_3}&before=${DAY_7}`,
    ...WORDS.map((q) => `state=all&q=${q}`),
    `q=${FIRST}`,
    `state=closed&q=${FIRST}`,
    `state=all&q=${FIRST}&sort=recentupdate`,
    ...['labels=rare', 'labels=bug', 'milestones=M3', 'created_by=user-7', 'assigned_by=user-7'].flatMap(
      (filter) => [`${filter}&state=all&q=${FIRST}`, `${filter}&state=all&q=${PHRASE}`],
    ),
    'mentioned_by=user-7&state=all&q=common',
    `state=all&since=${LAST_DAY}&q=${FIRST}`,
    `state=all&before=${DAY_3}&q=${FIRST}`,
  ].map((query) => `${LARGE}?${query}`);
  const searches = [
    '',
    'state=all&sort=recentupdate',
    'state=all&sort=oldest',
    'state=closed&page=20',
    ...WORDS.map((q) => `state=all&q=${q}`),
    'state=all&q=common&sort=oldest',
    'labels=bug',
    'labels=rare&state=all',
    `labels=rare&state=all&q=${FIRST}`,
    'milestones=M3&state=all',
    `milestones=M3&state=all&q=${FIRST}`,
    ...['created', 'assigned', 'mentioned'].flatMap((own) => [
      `${own}=true&state=all`,
      `${own}=true&state=all&q=${FIRST}`,
    ]),
    'created=true&assigned=true&state=all',
    `state=all&since=${LAST_DAY}`,
    `state=all&before=${DAY_3}`,
    `state=all&before=${DAY_3}&q=${FIRST}`,
    'owner=root&state=all',
    `owner=root&state=all&q=${FIRST}`,
    'owner=guild&state=all',
    `owner=guild&state=all&q=${FIRST}`,
    'owner=guild&state=all&q=zephyr',
    `owner=crew&state=all&q=${FIRST}`,
    'owner=crew&state=all&q=zephyr',
    `priority_repo_id=1001&state=all&q=${FIRST}`,
    `type=pulls&state=all&q=${FIRST}`,
  ].map((query) => `${EVERYWHERE}?${query}`);
  const others = [
    `/repos/root/small-1001/issues?state=all&q=${FIRST}`,
    '/repos/root/large/issues/comments?',
    `/repos/root/large/issues/comments?page=${pageAt(0.25)}`,
    `/repos/root/large/issues/comments?page=${pageAt(0.5)}`,
    `/repos/root/large/issues/comments?since=${LAST_DAY}`,
    `/repos/root/large/issues/comments?since=${DAY_3}&before=${DAY_7}&page=${pageAt(0.1)}`,
    `/repos/root/large/issues/comments?before=${DAY_7}`,
    `${LARGE}/77`,
    `${LARGE}/77/comments?`,
    `${LARGE}/77/timeline?`,
    ...['comments', 'timeline'].flatMap((list) =>
      THREAD.map((query) => `${LARGE}/${LONG_THREAD}/${list}?${query(COMMENTS_IN_THREAD / limit)}`),
    ),
    '/repos/root/large',
    '/repos/root/large/labels?',
    '/repos/root/large/milestones?',
    // A user outside the organization gets 400: its teams are hidden.
    `${EVERYWHERE}?owner=guild&team=owners&q=common`,
  ];
  return [
    ...[...lists, ...others].map((path) => ({ path, as: 'admin' }) as const),
    ...searches.flatMap((path) => (['admin', 'member'] as const).map((as) => ({ path, as }))),
  ];
}
