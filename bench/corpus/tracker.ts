import type { Database, Tx } from '../../src/base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../src/base/database/fragment.ts';
import { query } from '../../src/base/database/query.ts';
import { wordsOfTexts } from '../../src/base/text-search/words.ts';
import { columnsOfUnits, NEW_UNITS } from '../../src/hosting/repositories/units.ts';
import { issueWords, setTexts } from '../../src/tracker/issues/search/store/words.ts';

const ISSUES_IN_OTHERS = 100;
const ROWS_AT_ONCE = 500;
const TOGETHER = 20 * ROWS_AT_ONCE;
const USERS = 50;
const WORDS = 20_000;
const FIRST_REPOSITORY = 1_000;
const DAY_MS = 86_400_000;
/** An issue of the large repository with many comments, and their number. */
export const LONG_THREAD = 78;
export const COMMENTS_IN_THREAD = 5_000;
/** Private repositories that one user may read. */
const SHARED = 1_000;
/** of PostgreSQL */
const WORD_INDEXES = ['issue_words_index', 'comment_words_index'];
const MEMBER = FIRST_REPOSITORY + 7;

/** Ids of the accounts that own the repositories. */
export interface TrackerOwners {
  readonly user: number;
  readonly guild: number;
  readonly crew: number;
}

/** Sizes of a corpus of issues. */
export interface TrackerSize {
  readonly issues: number;
  /** of these, in the one large repository */
  readonly inOne: number;
}

/**
 * Creates issues that exist only as rows: a part in `root/large`, the others in repositories with 100 issues each, in turn.
 * Seven of ten are closed. In the large repository, three of ten have the label `bug` and one of 1,000 has `rare`; one of
 * three has an assignee out of 50 users, one of 50 mentions someone, one of 25 belongs to one of 20 milestones, one of ten
 * has a due date, each second one has a comment, and one has 5,000. The words have the frequencies of a language: the most frequent one
 * is in most texts, `common` is in every second one, `zephyr` in one of 10,000. One of eight small repositories is private,
 * and `user-7` may read 1,000 of these; one of 30 belongs to `guild`, and 50 to `crew`.
 */
export async function makeTracker(
  database: Database,
  owners: TrackerOwners,
  size: TrackerSize,
): Promise<void> {
  const others = Math.ceil((size.issues - size.inOne) / ISSUES_IN_OTHERS);
  await database.transaction(async (tx) => {
    await makeUsers(tx);
    await makeRepositories(tx, owners, others);
    await makeSubjects(tx, others);
  });
  // An index that is built at once takes a fraction of the time.
  const onPostgres = database.dialect === 'postgres';
  if (onPostgres) await database.transaction((tx) => query(tx, raw(`drop index ${WORD_INDEXES.join(', ')}`)));
  const each = Math.round(size.issues / size.inOne);
  for (let first = 0; first < size.issues; first += TOGETHER) {
    await database.transaction(async (tx) => {
      const issues = Array.from({ length: Math.min(TOGETHER, size.issues - first) }, (_, index) =>
        issueAt(first + index, { each, others }),
      );
      for (let at = 0; at < issues.length; at += ROWS_AT_ONCE)
        await insert(tx, issues.slice(at, at + ROWS_AT_ONCE));
      const thread = threadIn(issues, size);
      await insertThread(tx, (LONG_THREAD - 1) * each + 1, thread);
      await insertWords(tx, issues, thread);
    });
  }
  if (onPostgres)
    await database.transaction(async (tx) => {
      for (const name of WORD_INDEXES) {
        const table = name.replace('words_index', 'texts');
        await query(tx, raw(`create index ${name} on ${table} using gin (words)`));
      }
      for (const table of ['issues', 'issue_entries'])
        await query(
          tx,
          raw(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`),
        );
    });
  await database.transaction(count);
}

interface CorpusIssue {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly isLarge: boolean;
  readonly isClosed: boolean;
  readonly at: number;
  readonly title: string;
  readonly body: string;
}

function issueAt(index: number, { each, others }: { each: number; others: number }): CorpusIssue {
  const isLarge = index % each === 0;
  const place = index - Math.floor(index / each) - 1;
  return {
    id: index + 1,
    repositoryId: FIRST_REPOSITORY + (isLarge ? 0 : 1 + (place % others)),
    number: isLarge ? index / each + 1 : Math.floor(place / others) + 1,
    isLarge,
    isClosed: share(index, 1) < 0.7,
    at: index * 1_000,
    title: text(index, 6),
    body: `${text(index * 31 + 7, 25)}${index % 2 === 0 ? ' common' : ''}${index % 10_000 === 50 ? ' zephyr' : ''}`,
  };
}

/** A number from 0 to 1 for a row, the same in each run. */
function share(id: number, salt: number): number {
  // Different factors keep the traits independent of each other.
  return ((((id * (2 * salt + 1)) % 1_000_003) * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
}

/** Words whose frequencies fall as those of a language do. The same seed gives the same words. */
function text(seed: number, words: number): string {
  let state = (seed * 2_654_435_761 + 1) % 4_294_967_296;
  return Array.from({ length: words }, () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return wordOfRank(Math.floor(Math.exp((state / 4_294_967_296) * Math.log(WORDS))));
  }).join(' ');
}

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((one) => [...'aeiou'].map((other) => `${one}${other}`));

/** The word that is the so many-eth in frequency. Frequent ones are short, and so are the beginnings of others. */
export function wordOfRank(rank: number): string {
  const rest = Math.floor(rank / SYLLABLES.length);
  return `${SYLLABLES[rank % SYLLABLES.length]}${rest === 0 ? '' : wordOfRank(rest)}`;
}

async function insertRows(tx: Tx, into: string, rows: readonly Fragment[]): Promise<void> {
  if (rows.length > 0) await query(tx, fragment`insert into ${raw(into)} values ${joined(rows, ', ')}`);
}

async function makeUsers(tx: Tx): Promise<void> {
  const rows = Array.from({ length: USERS }, (_, index) => ({
    id: FIRST_REPOSITORY + index,
    kind: 'user' as const,
    name: `user-${index}`,
    lower_name: `user-${index}`,
    full_name: '',
    email: '',
    lower_email: null,
    password_hash: null,
    created_at: 0,
    updated_at: 0,
    last_login_at: null,
  }));
  await tx.insertInto('accounts').values(rows).execute();
}

async function makeRepositories(tx: Tx, owners: TrackerOwners, others: number): Promise<void> {
  const isPrivate = (id: number) => id % 8 === 3;
  for (let first = 0; first <= others; first += 100) {
    const ids = Array.from(
      { length: Math.min(100, others + 1 - first) },
      (_, index) => FIRST_REPOSITORY + first + index,
    );
    await tx
      .insertInto('git_repositories')
      .values(ids.map((id) => ({ id, object_format: 'sha1' as const, head: 'refs/heads/main' })))
      .execute();
    const rows = ids.map((id) => {
      const name = id === FIRST_REPOSITORY ? 'large' : `small-${id}`;
      return {
        id,
        owner_id: ownerOf(id, owners),
        name,
        lower_name: name,
        description: '',
        is_private: isPrivate(id) ? 1 : 0,
        archived_at: null,
        ...columnsOfUnits(NEW_UNITS),
        created_at: id,
        updated_at: id,
      };
    });
    await tx.insertInto('repositories').values(rows).execute();
    const shared = ids.filter((id) => isPrivate(id) && id < FIRST_REPOSITORY + 8 * SHARED);
    if (shared.length > 0)
      await insertRows(
        tx,
        'collaborations (repository_id, account_id, level, created_at)',
        shared.map((id) => fragment`(${id}, ${MEMBER}, 'read', 0)`),
      );
  }
}

function ownerOf(id: number, { user, guild, crew }: TrackerOwners): number {
  if (id % 30 === 7) return guild;
  return id % 30 === 8 && id < FIRST_REPOSITORY + 30 * 50 ? crew : user;
}

/** Labels `bug` and `rare` of the large repository, `bug` of all others, and the milestones. */
async function makeSubjects(tx: Tx, others: number): Promise<void> {
  const label = (id: number, repositoryId: number, name: string) =>
    fragment`(${id}, ${repositoryId}, ${name}, 'ff0000', '', 0)`;
  const labels = [label(1, FIRST_REPOSITORY, 'bug'), label(2, FIRST_REPOSITORY, 'rare')];
  for (let at = 1; at <= others; at += 1) labels.push(label(2 + at, FIRST_REPOSITORY + at, 'bug'));
  for (let first = 0; first < labels.length; first += ROWS_AT_ONCE)
    await insertRows(
      tx,
      'labels (id, repository_id, name, color, description, created_at)',
      labels.slice(first, first + ROWS_AT_ONCE),
    );
  const milestones = Array.from(
    { length: 20 },
    (_, at) => fragment`(${at + 1}, ${FIRST_REPOSITORY}, ${`M${at}`}, ${`m${at}`}, '', 0, 0)`,
  );
  await insertRows(
    tx,
    'milestones (id, repository_id, title, lower_title, description, created_at, updated_at)',
    milestones,
  );
}

async function insert(tx: Tx, issues: readonly CorpusIssue[]): Promise<void> {
  const closed = ({ isClosed }: CorpusIssue) => (isClosed ? 1 : 0);
  await insertRows(
    tx,
    'issues (id, repository_id, number, author_id, title, body, milestone_id, is_closed, closed_at, due_at, comments_count, created_at, updated_at)',
    issues.map((issue) => {
      const { id, repositoryId, number, title, body, at, isLarge } = issue;
      const milestone = isLarge && number % 25 === 0 ? 1 + ((number / 25) % 20) : null;
      return fragment`(${id}, ${repositoryId}, ${number}, ${FIRST_REPOSITORY + Math.floor(share(id, 2) * USERS)}, ${title}, ${body}, ${milestone},
        ${closed(issue)}, ${issue.isClosed ? at : null}, ${dueAtOf(issue)}, ${commentsOf(issue)}, ${at}, ${updatedAtOf(issue)})`;
    }),
  );
  const link = (issue: CorpusIssue, subjectId: number) =>
    fragment`(${issue.id}, ${subjectId}, ${issue.repositoryId}, 0, ${closed(issue)}, ${updatedAtOf(issue)}, ${commentsOf(issue)}, ${dueAtOf(issue)})`;
  const columns =
    '(issue_id, subject_id, repository_id, is_pull, is_closed, updated_at, comments_count, due_at)';
  await insertRows(
    tx,
    `issue_labels ${columns}`,
    issues.flatMap((issue) => [
      ...(share(issue.id, 3) < 0.3
        ? [link(issue, issue.isLarge ? 1 : 2 + issue.repositoryId - FIRST_REPOSITORY)]
        : []),
      ...(issue.isLarge && issue.number % 1_000 === 7 ? [link(issue, 2)] : []),
    ]),
  );
  const user = ({ id }: CorpusIssue) => FIRST_REPOSITORY + Math.floor(share(id, 4) * USERS);
  await insertRows(
    tx,
    `issue_assignees ${columns}`,
    issues.filter(({ id }) => share(id, 5) < 0.33).map((issue) => link(issue, user(issue))),
  );
  await insertRows(
    tx,
    `issue_mentions ${columns}`,
    issues.filter(({ number }) => number % 50 === 1).map((issue) => link(issue, user(issue))),
  );
  const commented = issues.filter(({ isLarge, number }) => isLarge && number % 2 === 1);
  await insertRows(
    tx,
    'issue_entries (id, issue_id, repository_id, author_id, kind, body, details, created_at, updated_at)',
    commented.map(
      (issue) => fragment`(${issue.id}, ${issue.id}, ${issue.repositoryId}, ${user(issue)}, 'comment',
        ${commentOf(issue)}, '{}', ${issue.at}, ${issue.at})`,
    ),
  );
}

function dueAtOf({ number, at }: CorpusIssue): number | null {
  return number % 10 === 0 ? at + (number % 90) * DAY_MS : null;
}

function commentsOf({ isLarge, number }: CorpusIssue): number {
  return isLarge ? number % 2 : 0;
}

interface ThreadComment {
  readonly id: number;
  readonly at: number;
  readonly body: string;
}

/** Comments of one issue, one each minute: those between the comments of some issues. */
function threadIn(issues: readonly CorpusIssue[], size: TrackerSize): readonly ThreadComment[] {
  const step = Math.floor(size.issues / COMMENTS_IN_THREAD);
  return issues.flatMap(({ id }) =>
    id % step === 2 ? [{ id, at: Math.floor(id / step) * 60_000, body: commentOf({ id }) }] : [],
  );
}

async function insertThread(tx: Tx, issueId: number, thread: readonly ThreadComment[]): Promise<void> {
  await insertRows(
    tx,
    'issue_entries (id, issue_id, repository_id, author_id, kind, body, details, created_at, updated_at)',
    thread.map(
      ({
        id,
        at,
        body,
      }) => fragment`(${id}, ${issueId}, ${FIRST_REPOSITORY}, ${FIRST_REPOSITORY + ((at / 60_000) % USERS)}, 'comment',
        ${body}, '{}', ${at}, ${at})`,
    ),
  );
  await query(
    tx,
    fragment`update issues set comments_count = comments_count + ${thread.length} where id = ${issueId}`,
  );
}

function updatedAtOf({ id, at }: CorpusIssue): number {
  return at + ((id * 7_919) % 1_000) * 60_000;
}

function commentOf({ id }: Pick<CorpusIssue, 'id'>): string {
  return text(id * 17 + 3, 20);
}

/** Writes the words of many issues together: their order matters to the index. */
async function insertWords(
  tx: Tx,
  issues: readonly CorpusIssue[],
  thread: readonly ThreadComment[],
): Promise<void> {
  const commented = issues.filter(({ isLarge, number }) => isLarge && number % 2 === 1);
  await setTexts(
    tx,
    'issue',
    issues.map((issue) => ({
      ...placeOf(issue),
      words: issueWords(wordsOfTexts({ title: issue.title, body: issue.body })),
    })),
  );
  const comments = [
    ...commented.map((issue) => ({ ...placeOf(issue), body: commentOf(issue) })),
    ...thread.map(({ id, body }) => ({ id, repositoryId: FIRST_REPOSITORY, body })),
  ];
  if (comments.length > 0)
    await setTexts(
      tx,
      'comment',
      comments.map(({ body, ...place }) => ({ ...place, words: wordsOfTexts({ body }) })),
    );
}

function placeOf({ id, repositoryId }: CorpusIssue) {
  return { id, repositoryId };
}

/** Writes what repositories, labels and milestones count. */
async function count(tx: Tx): Promise<void> {
  const counted = (isClosed: 0 | 1) =>
    fragment`(select count(*) from issues i where i.repository_id = repositories.id and i.is_pull = 0 and i.is_closed = ${isClosed})`;
  await query(
    tx,
    fragment`update repositories set open_issues_count = ${counted(0)}, closed_issues_count = ${counted(1)},
      comments_count = (select coalesce(sum(i.comments_count), 0) from issues i where i.repository_id = repositories.id),
      last_issue_number = coalesce((select max(number) from issues i where i.repository_id = repositories.id), 0)
      where id >= ${FIRST_REPOSITORY}`,
  );
}
