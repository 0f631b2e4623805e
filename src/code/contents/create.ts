import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { BranchWriter } from '../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { ContentsInspector } from './inspect.ts';
import { LastCommitJobs, requestIndex } from './last-commits/jobs.ts';
import { LastCommits } from './last-commits/service.ts';
import { ContentsReader } from './read.ts';
import { contentsRoutes } from './routes.ts';
import { FileEditing } from './writing/editing.ts';
import { ContentsWriter } from './writing/write.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'history' | 'upkeep'>;
  readonly jobs: Jobs;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly repositories: Repositories;
  readonly largeFiles: LargeFiles;
  readonly verifier: SignatureVerifier;
}

export function createContents(dependencies: Dependencies) {
  const { addresses, largeFiles: files } = dependencies;
  const { database, git, jobs } = dependencies;
  const lastCommits = new LastCommits({
    git,
    requestIndex: (id) => database.transaction((tx) => requestIndex(jobs, tx, id, 0)),
  });
  const lastCommitJobs = new LastCommitJobs({ database, jobs, lastCommits });
  const reading = new ContentsReader({ ...dependencies, lastCommits });
  const inspector = new ContentsInspector({ ...dependencies, reading });
  const writing = new ContentsWriter(dependencies);
  const editing = new FileEditing({ ...dependencies, writing });
  return {
    services: { lastCommits, lastCommitJobs, reading, writing, editing, inspector },
    routes: { api: (app: App) => contentsRoutes(app, { reading, writing, files, addresses }) },
  };
}
