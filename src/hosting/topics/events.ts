import { defineEvent } from '../../base/events/model.ts';

export const REPOSITORY_TOPICS_CHANGED = defineEvent<{ topics: readonly string[] }>(
  'repository.topics-changed',
);
