import type { App } from '../../http/app.ts';
import { auditPage } from './audit-page.ts';
import { cronPage } from './cron-page.ts';
import { overviewPages } from './overview-pages.ts';
import { adminUserPage } from './user-page.ts';
import { adminUserPages } from './user-pages.ts';

type Dependencies = Parameters<typeof overviewPages>[1] &
  Parameters<typeof adminUserPages>[1] &
  Parameters<typeof adminUserPage>[1] &
  Parameters<typeof cronPage>[1] &
  Parameters<typeof auditPage>[1];

/** Registers the pages for administrators of the site. */
export function pagesOfAdministration(app: App, dependencies: Dependencies): void {
  overviewPages(app, dependencies);
  adminUserPages(app, dependencies);
  adminUserPage(app, dependencies);
  cronPage(app, dependencies);
  auditPage(app, dependencies);
}
