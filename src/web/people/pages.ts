import type { App } from '../../http/app.ts';
import { accountPages } from './account-pages.ts';
import { avatarPages } from './avatar-pages.ts';

type Dependencies = Parameters<typeof accountPages>[1] & Parameters<typeof avatarPages>[1];

/** Registers the pages and pictures of accounts, and the pictures of repositories. */
export function pagesOfPeople(app: App, dependencies: Dependencies): void {
  accountPages(app, dependencies);
  avatarPages(app, dependencies);
}
