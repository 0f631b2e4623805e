import type { Accounts } from '../accounts/service.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import type { Database } from '../database/database.ts';
import type { GitStorage } from '../git/model.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { NotebookIndex } from './notebook-index.ts';
import { Notebooks } from './notebooks.ts';
import { Saving } from './save.ts';
import { Notes } from './service.ts';

/** The parts of this feature, put together. */
export function createNotes(dependencies: {
  database: Database;
  git: GitStorage;
  accounts: Accounts;
  repositories: Repositories;
  pushes: Pushes;
  lastCommits: LastCommits;
}): { notes: Notes; notebooks: Notebooks; notebookIndex: NotebookIndex } {
  const notebookIndex = new NotebookIndex(dependencies);
  const notebooks = new Notebooks({ ...dependencies, index: notebookIndex });
  const saving = new Saving(dependencies);
  return { notes: new Notes({ ...dependencies, notebooks, saving }), notebooks, notebookIndex };
}
