import { defineEvent } from '../../base/events/model.ts';

export const REPOSITORY_STARRED = defineEvent<{ accountId: number }>('repository.starred', {
  people: ['accountId'],
});
export const REPOSITORY_UNSTARRED = defineEvent<{ accountId: number }>('repository.unstarred');
export const REPOSITORY_WATCHED = defineEvent<{ accountId: number }>('repository.watched', {
  people: ['accountId'],
});
export const REPOSITORY_UNWATCHED = defineEvent<{ accountId: number }>('repository.unwatched');
