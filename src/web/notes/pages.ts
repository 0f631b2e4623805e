import type { App } from '../../http/app.ts';
import { noteHistoryPages } from './history-pages.ts';
import { notePages } from './note-pages.ts';

type Dependencies = Parameters<typeof notePages>[1] & Parameters<typeof noteHistoryPages>[1];

/** Registers the pages of notes. */
export function pagesOfNotes(app: App, dependencies: Dependencies): void {
  notePages(app, dependencies);
  noteHistoryPages(app, dependencies);
}
