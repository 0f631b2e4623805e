import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { LanguageJobs } from './jobs.ts';
import { languageRoutes } from './routes.ts';
import { Languages } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly addresses: Addresses;
  readonly jobs: Jobs;
  readonly repositories: Repositories;
}

export function createLanguages(dependencies: Dependencies) {
  const languages = new Languages(dependencies);
  const languageJobs = new LanguageJobs({ ...dependencies, languages });
  return {
    services: { languages, languageJobs },
    routes: { api: (app: App) => languageRoutes(app, { ...dependencies, languages }) },
  };
}
