import type { App } from '../../http/app.ts';
import { feedPages } from './feed-pages.ts';
import { gitFeedPages } from './git-feed-pages.ts';

type Dependencies = Parameters<typeof feedPages>[1] & Parameters<typeof gitFeedPages>[1];

/** Registers the feeds for feed readers. */
export function pagesOfFeeds(app: App, dependencies: Dependencies): void {
  feedPages(app, dependencies);
  gitFeedPages(app, dependencies);
}
