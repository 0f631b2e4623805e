import type { App } from '../../http/app.ts';
import { commitPages } from './commits/pages.ts';
import { editingPages } from './editing/pages.ts';
import { inspectionPages } from './inspect/pages.ts';
import { refPages } from './refs/pages.ts';
import { repositoryPages } from './repository-pages.ts';

type Dependencies = Parameters<typeof commitPages>[1] &
  Parameters<typeof refPages>[1] &
  Parameters<typeof inspectionPages>[1] &
  Parameters<typeof editingPages>[1] &
  Parameters<typeof repositoryPages>[1];

/** Registers the pages of repositories, their files and their commits. */
export function pagesOfCode(app: App, dependencies: Dependencies): void {
  commitPages(app, dependencies);
  refPages(app, dependencies);
  inspectionPages(app, dependencies);
  editingPages(app, dependencies);
  repositoryPages(app, dependencies);
}
