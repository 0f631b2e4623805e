import type { Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { addToCounts, setMainLanguage, setTopicsText, takeAccountFromCounts } from './store/derived.ts';

// What other features know of a repository and its record tells. Rows of repositories are written here alone.

/** What others keep rows of, counted in the row of the repository. */
export interface RepositoryCounts {
  readonly stars?: number;
  readonly watchers?: number;
}

/** Counts by as much more, or fewer where it is negative, in the transaction that changes what is counted. */
export function changeCounts(tx: Tx, id: RepositoryId, by: RepositoryCounts): Promise<void> {
  return addToCounts(tx, id, by);
}

/** Before an account goes, along with its stars and watches. */
export function uncountAccount(tx: Tx, accountId: number): Promise<void> {
  return takeAccountFromCounts(tx, accountId);
}

/** @param topics in order of their names */
export function keepTopics(tx: Tx, id: RepositoryId, topics: readonly string[]): Promise<void> {
  return setTopicsText(tx, id, topics.join(' '));
}

/**
 * @param language that most of the default branch is written in; '' for none
 * @returns whether the repository is there
 */
export function keepMainLanguage(tx: Tx, id: RepositoryId, language: string): Promise<boolean> {
  return setMainLanguage(tx, id, language);
}
