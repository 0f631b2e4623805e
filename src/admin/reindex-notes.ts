import { ForgeError, notFound } from '../base/core/failure.ts';
import type { NotebookIndex } from '../notes/notebooks/index/notebook-index.ts';
import type { Accounts } from '../people/accounts/service.ts';
import { counted } from './counted.ts';

interface Reindexing {
  readonly accounts: Accounts;
  readonly notebookIndex: NotebookIndex;
  readonly print: (line: string) => void;
  /** name of the account whose notebook to index; undefined: all notebooks */
  readonly account: string | undefined;
}

/**
 * Rebuilds the rows of notes from their files in git. Notes keep their ids.
 *
 * @returns whether every notebook could be read
 * @throws ForgeError `not_found` for an account that does not exist
 */
export async function reindexNotes(reindexing: Reindexing): Promise<boolean> {
  const { notebookIndex, print } = reindexing;
  const notebooks = await notebookIndex.list(await accountIdOf(reindexing));
  let failures = 0;
  for (const { id, path, ...location } of notebooks) {
    try {
      await notebookIndex.rebuild(location);
      print(`${path}: ${counted(await notebookIndex.count(id), 'note')}`);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      failures += 1;
      print(`${path}: ${error.message}`);
    }
  }
  print(
    failures === 0
      ? `indexed ${counted(notebooks.length, 'notebook')}`
      : `could not read ${counted(failures, 'notebook')} of ${notebooks.length}`,
  );
  return failures === 0;
}

async function accountIdOf({ accounts, account }: Reindexing): Promise<number | null> {
  if (account === undefined) return null;
  const found = await accounts.findByName(account);
  if (found === undefined) throw notFound('account', { say: `there is no account ${account}` });
  return found.id;
}
