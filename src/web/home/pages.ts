import type { App } from '../../http/app.ts';
import { explorePages } from './explore-pages.ts';
import { forkPage } from './fork-page.ts';
import { homePages } from './home-page.ts';
import { migratePage } from './migrate-page.ts';
import { newRepositoryPage } from './new-repository-page.ts';

type Dependencies = Parameters<typeof homePages>[1] &
  Parameters<typeof explorePages>[1] &
  Parameters<typeof newRepositoryPage>[1] &
  Parameters<typeof forkPage>[1] &
  Parameters<typeof migratePage>[1];

/** Registers the start page, the lists of everything public, and the forms of new repositories. */
export function pagesOfHome(app: App, dependencies: Dependencies): void {
  homePages(app, dependencies);
  explorePages(app, dependencies);
  newRepositoryPage(app, dependencies);
  forkPage(app, dependencies);
  migratePage(app, dependencies);
}
