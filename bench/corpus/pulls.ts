import type { Database, Tx } from '../../src/base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../src/base/database/fragment.ts';
import { query } from '../../src/base/database/query.ts';

export const WIDE_FILES = 50_000;
const FILES_IN_FOLDER = 200;
const ROWS_AT_ONCE = 500;
const STARTED_AT = 1_700_000_000;
/** Ids of issues that exist only as rows begin here, far from those that the server assigns. */
const FIRST_ISSUE = 1_000_000;

/** Branches of the wide tree, by their use. Each begins at the commit before the last one of `main`. */
export const BRANCHES = {
  /** change 3 files each */
  created: 'created',
  checked: 'checked',
  merged: 'merged',
  waiting: 'waiting',
  /** change 300 files each */
  large: 'large',
} as const;

/** How many branches each use has. */
export type BranchCounts = Readonly<Record<keyof typeof BRANCHES, number>>;

const CHANGED_FILES: BranchCounts = { created: 3, checked: 3, merged: 3, waiting: 3, large: 300 };

export function branchOf(use: keyof typeof BRANCHES, index: number): string {
  return `${BRANCHES[use]}-${index}`;
}

/**
 * Generates a tree of 50,000 files in 250 folders for `git fast-import`, the same in every run, and branches that change
 * files of different folders. `main` has one more commit, which changes 3 other files.
 *
 * @see git-fast-import(1), INPUT FORMAT
 */
export function* wideTreeStream(counts: BranchCounts): Generator<string> {
  yield commit('refs/heads/main', 1, undefined);
  for (let file = 0; file < WIDE_FILES; file += 1) yield changed(file, `file ${file}\n${LINES}`);
  let mark = 2;
  for (const use of Object.keys(counts) as (keyof BranchCounts)[])
    for (let index = 0; index < counts[use]; index += 1) {
      yield commit(`refs/heads/${branchOf(use, index)}`, mark, 1);
      // Different branches change different files, so each merge is clean.
      for (let each = 0; each < CHANGED_FILES[use]; each += 1)
        yield changed((mark * 7 + each * 401) % (WIDE_FILES - 10), `branch ${mark}\n${LINES}one more\n`);
      mark += 1;
    }
  yield commit('refs/heads/main', mark, 1);
  for (let each = 1; each <= 3; each += 1) yield changed(WIDE_FILES - each, `main\n${LINES}`);
}

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index} of a file that many have read\n`).join(
  '',
);

function commit(ref: string, mark: number, from: number | undefined): string {
  const parent = from === undefined ? '' : `from :${from}\n`;
  return `commit ${ref}\nmark :${mark}\ncommitter Bench <bench@example.org> ${STARTED_AT + mark} +0000\ndata 0\n${parent}`;
}

function changed(file: number, text: string): string {
  const folder = Math.floor(file / FILES_IN_FOLDER);
  const path = `part-${folder % 10}/step-${Math.floor(folder / 10)}/file-${file}.txt`;
  return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
}

/** A pull request that exists only as rows. */
export interface RowPull {
  readonly number: number;
  readonly headBranch: string;
  readonly headSha: string;
  readonly isClosed: boolean;
}

/** Creates pull requests of one repository and account, whose merges were not checked yet. @returns the ids of issues */
export async function insertPulls(
  database: Database,
  { repositoryId, accountId }: { readonly repositoryId: number; readonly accountId: number },
  pulls: readonly RowPull[],
): Promise<readonly number[]> {
  const idOf = ({ number }: RowPull) => FIRST_ISSUE * repositoryId + number;
  for (let first = 0; first < pulls.length; first += ROWS_AT_ONCE)
    await database.transaction(async (tx) => {
      const some = pulls.slice(first, first + ROWS_AT_ONCE);
      await insertRows(
        tx,
        'issues (id, repository_id, number, author_id, title, body, is_pull, is_closed, closed_at, comments_count, created_at, updated_at)',
        some.map((pull) => {
          const { number, headBranch, isClosed } = pull;
          const at = STARTED_AT * 1000 + number * 60_000;
          const closed = isClosed ? 1 : 0;
          return fragment`(${idOf(pull)}, ${repositoryId}, ${number}, ${accountId}, ${headBranch}, 'It pumps.', 1, ${closed},
            ${isClosed ? at : null}, 0, ${at}, ${at})`;
        }),
      );
      await insertRows(
        tx,
        'pulls (issue_id, repository_id, number, is_open, flow, base_branch, head_repository_id, head_branch, has_head_branch, head_sha)',
        some.map((pull) => {
          const { number, headBranch, headSha, isClosed } = pull;
          return fragment`(${idOf(pull)}, ${repositoryId}, ${number}, ${isClosed ? 0 : 1}, 'branch', 'main', ${repositoryId}, ${headBranch}, 1, ${headSha})`;
        }),
      );
    });
  await database.transaction((tx) => count(tx, repositoryId));
  return pulls.map(idOf);
}

async function insertRows(tx: Tx, into: string, rows: readonly Fragment[]): Promise<void> {
  await query(tx, fragment`insert into ${raw(into)} values ${joined(rows, ', ')}`);
}

/** Writes what the repository counts. */
async function count(tx: Tx, repositoryId: number): Promise<void> {
  const counted = (isClosed: 0 | 1) =>
    fragment`(select count(*) from issues i where i.repository_id = ${repositoryId} and i.is_pull = 1 and i.is_closed = ${isClosed})`;
  await query(
    tx,
    fragment`update repositories set open_pulls_count = ${counted(0)}, closed_pulls_count = ${counted(1)},
      last_issue_number = (select max(number) from issues i where i.repository_id = ${repositoryId})
      where id = ${repositoryId}`,
  );
}
