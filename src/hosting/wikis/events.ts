import { defineEvent } from '../../base/events/model.ts';

/** The refs of a wiki have moved. The event belongs to the repository that has the wiki. */
export const WIKI_REFS_CHANGED = defineEvent<{
  updates: readonly { ref: string; old: string | null; new: string | null }[];
  via: 'push' | 'api' | 'mirror';
}>('wiki.refs-changed');

/** What happened to a page. `page` is its title, `address` the end of its URL, and `comment` the message of the commit. */
interface PageEvent {
  page: string;
  address: string;
  comment: string;
  commit: string;
}

export const WIKI_PAGE_CREATED = defineEvent<PageEvent>('wiki.page-created');
/** `former` of the event has the title as `page` if the page has a new one. */
export const WIKI_PAGE_EDITED = defineEvent<PageEvent>('wiki.page-edited');
export const WIKI_PAGE_DELETED = defineEvent<PageEvent>('wiki.page-deleted');
