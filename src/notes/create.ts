import type { Accounts } from '../accounts/service.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import type { Database } from '../database/database.ts';
import type { GitStorage } from '../git/model.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { BranchWriter } from '../repositories/write-branch.ts';
import { NotebookIndex } from './notebook-index.ts';
import { Notebooks } from './notebooks.ts';
import { NotebookWriter } from './save.ts';
import { Notes } from './service.ts';

/** Composes the services of this feature. */
export function createNotes(dependencies: {
  database: Database;
  git: GitStorage;
  accounts: Accounts;
  repositories: Repositories;
  pushes: Pushes;
  branches: BranchWriter;
  lastCommits: LastCommits;
}): { notes: Notes; notebooks: Notebooks; notebookIndex: NotebookIndex } {
  const notebookIndex = new NotebookIndex(dependencies);
  const notebooks = new Notebooks({ ...dependencies, index: notebookIndex });
  const writer = new NotebookWriter({ ...dependencies, notebooks });
  return { notes: new Notes({ ...dependencies, notebooks, writer }), notebooks, notebookIndex };
}
