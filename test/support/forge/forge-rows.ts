/**
 * What happened to the rows of a forge: they are those of its start again, a job or another writer needs them for a moment,
 * or the test has changed something that cannot be undone.
 */
export type Restored = 'restored' | 'in use' | 'lost';

/** The rows that a forge had right after its start. */
export interface ForgeRows {
  /** Gives them back to the database, in one transaction. */
  restore(): Promise<Restored>;
  close(): Promise<void>;
}

/**
 * Tables whose rows stay. Versions of searches count on, because a server compares them with those that it remembers. A
 * sweep deletes the folders of removed repositories, and then their rows.
 */
export const LASTING_TABLES: readonly string[] = [
  'schema_versions',
  'search_versions',
  'search_changes',
  'git_removed',
];

/**
 * How many ids pass before the first test. A test that relies on the ids of a new database then fails always, and not only
 * after other tests. There are more ids than folders over the repositories (256).
 */
export const IDS_PASSED = 300;

/** Statements before the rows are deleted. */
export const BEFORE: readonly string[] = [
  `insert into git_removed (repository_id, removed_at) select id, 0 from git_repositories where true
    on conflict do nothing`,
  'update git_removed set removed_at = 0',
];

/**
 * Statements after the first rows are back. Recurring jobs are due after a whole period again. Positions of events count on:
 * a follower that is reading those of the last test must not take them.
 *
 * @param elapsedMs SQL for the time since the rows were read
 * @param newestEvent SQL for the position of the newest event ever
 */
export function afterwards(elapsedMs: string, newestEvent: string): readonly string[] {
  return [
    `update jobs set run_at = run_at + ${elapsedMs}`,
    `update event_readers set position = (${newestEvent})`,
  ];
}
