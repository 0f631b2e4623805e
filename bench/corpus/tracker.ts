import type { Database, Tx } from '../../src/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../src/database/fragment.ts';
import { query } from '../../src/database/query.ts';
import { setCommentWords, setIssueWords } from '../../src/issues/store/words.ts';
import { columnsOfUnits, NEW_UNITS } from '../../src/repositories/units.ts';

const ISSUES_IN_OTHERS = 100;
const ROWS_AT_ONCE = 500;
const USERS = 50;
const WORDS = 20_000;
const FIRST_REPOSITORY = 1_000;
const DAY_MS = 86_400_000;

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
 * has a due date, and each second one has a comment. The words have the frequencies of a language: the most frequent one
 * is in most texts, `common` is in every second one, `zephyr` in one of 10,000.
 */
export async function makeTracker(database: Database, ownerId: number, size: TrackerSize): Promise<void> {
  const others = Math.ceil((size.issues - size.inOne) / ISSUES_IN_OTHERS);
  await database.transaction(async (tx) => {
    await makeUsers(tx);
    await makeRepositories(tx, ownerId, others);
    await makeSubjects(tx, others);
  });
  const each = Math.round(size.issues / size.inOne);
  for (let first = 0; first < size.issues; first += 20 * ROWS_AT_ONCE) {
    await database.transaction(async (tx) => {
      for (let at = first; at < Math.min(first + 20 * ROWS_AT_ONCE, size.issues); at += ROWS_AT_ONCE) {
        const count = Math.min(ROWS_AT_ONCE, size.issues - at);
        await insert(
          tx,
          Array.from({ length: count }, (_, index) => issueAt(at + index, { each, others })),
        );
      }
    });
  }
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
    return `word${Math.floor(Math.exp((state / 4_294_967_296) * Math.log(WORDS)))}`;
  }).join(' ');
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

async function makeRepositories(tx: Tx, ownerId: number, others: number): Promise<void> {
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
        owner_id: ownerId,
        name,
        lower_name: name,
        description: '',
        is_private: id % 50 === 3 ? 1 : 0,
        archived_at: null,
        ...columnsOfUnits(NEW_UNITS),
        created_at: id,
        updated_at: id,
      };
    });
    await tx.insertInto('repositories').values(rows).execute();
  }
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
      const dueAt = number % 10 === 0 ? at + (number % 90) * DAY_MS : null;
      const updatedAt = at + ((id * 7_919) % 1_000) * 60_000;
      return fragment`(${id}, ${repositoryId}, ${number}, ${FIRST_REPOSITORY + Math.floor(share(id, 2) * USERS)}, ${title}, ${body}, ${milestone},
        ${closed(issue)}, ${issue.isClosed ? at : null}, ${dueAt}, ${isLarge ? number % 2 : 0}, ${at}, ${updatedAt})`;
    }),
  );
  const link = (issue: CorpusIssue, subjectId: number) =>
    fragment`(${issue.id}, ${subjectId}, ${issue.repositoryId}, 0, ${closed(issue)})`;
  const columns = '(issue_id, subject_id, repository_id, is_pull, is_closed)';
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
  for (const issue of issues) await setIssueWords(tx, issue);
  for (const issue of issues.filter(({ isLarge, number }) => isLarge && number % 2 === 1)) {
    const body = text(issue.id * 17 + 3, 20);
    await insertRows(
      tx,
      'issue_entries (id, issue_id, repository_id, author_id, kind, body, details, created_at, updated_at)',
      [
        fragment`(${issue.id}, ${issue.id}, ${issue.repositoryId}, ${user(issue)}, 'comment', ${body}, '{}', ${issue.at}, ${issue.at})`,
      ],
    );
    await setCommentWords(tx, { id: issue.id, repositoryId: issue.repositoryId, body });
  }
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
