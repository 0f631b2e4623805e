import type { Accounts } from '../accounts/service.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import type { Database } from '../database/database.ts';
import type { GitStorage } from '../git/model.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { BranchWriter } from '../repositories/write-branch.ts';
import { NotebookIndex } from './notebook-index.ts';
import { Notebooks } from './notebooks.ts';
import { capabilitiesRoutes, noteRoutes } from './routes.ts';
import { NotebookWriter } from './save.ts';
import { noteSearchRoutes } from './search/routes.ts';
import { NoteSearch } from './search/service.ts';
import { Notes } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: GitStorage;
  readonly accounts: Accounts;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly repositories: Repositories;
  readonly lastCommits: LastCommits;
  readonly addresses: Addresses;
}

export function createNotes(dependencies: Dependencies) {
  const notebookIndex = new NotebookIndex(dependencies);
  const notebooks = new Notebooks({ ...dependencies, index: notebookIndex });
  const writer = new NotebookWriter({ ...dependencies, notebooks });
  const notes = new Notes({ ...dependencies, notebooks, writer });
  const noteSearch = new NoteSearch({ ...dependencies, notebooks });
  return {
    services: { notes, notebooks, notebookIndex },
    routes: {
      notes: (app: App) => {
        noteRoutes(app, { notes, notebooks });
        noteSearchRoutes(app, { ...dependencies, noteSearch, notebooks });
      },
      ocs: (app: App) => capabilitiesRoutes(app, { notebooks }),
    },
  };
}
