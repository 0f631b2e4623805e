import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { LastCommits } from '../../code/contents/last-commits/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { Quota } from '../../hosting/quota/service.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { BranchWriter } from '../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { Attachments } from './attachments/service.ts';
import { noteHistoryRoutes } from './history/routes.ts';
import { NoteHistory } from './history/service.ts';
import { NoteServerImport } from './import/server-import.ts';
import { NoteImport } from './import/service.ts';
import { NoteIndexJobs } from './index/index-jobs.ts';
import { NotebookIndex } from './index/notebook-index.ts';
import { Notebooks } from './index/notebooks.ts';
import { PushIndex } from './index/push-index.ts';
import { NoteSearchIndex } from './index/search-index.ts';
import { capabilitiesRoutes, noteRoutes } from './routes.ts';
import { noteSearchRoutes } from './search/routes.ts';
import { NoteSearch } from './search/service.ts';
import { Notes } from './service.ts';
import { NotebookWriter } from './writing/save.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history'>;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly repositories: Repositories;
  readonly lastCommits: LastCommits;
  readonly addresses: Addresses;
  readonly largeFiles: LargeFiles;
  readonly quota: Quota;
}

export function createNotes(dependencies: Dependencies) {
  const notebookIndex = new NotebookIndex(dependencies);
  const notebooks = new Notebooks({ ...dependencies, index: notebookIndex });
  const searchIndex = new NoteSearchIndex(dependencies);
  const indexJobs = new NoteIndexJobs({ ...dependencies, index: notebookIndex, searchIndex });
  const pushIndex = new PushIndex({ ...dependencies, index: notebookIndex, jobs: indexJobs });
  const writer = new NotebookWriter({ ...dependencies, notebooks });
  const notes = new Notes({ ...dependencies, notebooks, writer });
  const noteHistory = new NoteHistory({ ...dependencies, notebooks, writer, notes });
  const noteImport = new NoteImport({ writer, searchIndex });
  const noteServerImport = new NoteServerImport({ ...dependencies, writer, notes, searchIndex });
  const noteSearch = new NoteSearch({ ...dependencies, notebooks, searchIndex });
  const attachments = new Attachments({ ...dependencies, writer, notes });
  return {
    services: {
      notes,
      noteHistory,
      noteSearch,
      notebooks,
      noteImport,
      noteServerImport,
      notebookIndex,
      notebookPushIndex: pushIndex,
    },
    routes: {
      notes: (app: App) => {
        noteRoutes(app, { notes, notebooks });
        noteHistoryRoutes(app, { ...dependencies, noteHistory, notebooks });
        noteSearchRoutes(app, { ...dependencies, noteSearch, notebooks });
        attachmentRoutes(app, { attachments, files: dependencies.largeFiles });
      },
      ocs: (app: App) => capabilitiesRoutes(app, { notebooks }),
    },
  };
}
