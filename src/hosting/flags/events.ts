import { defineEvent } from '../../base/events/model.ts';

export const REPOSITORY_FLAGS_CHANGED = defineEvent<{ flags: readonly string[] }>(
  'repository.flags-changed',
  { audit: { target: 'repository', isForSite: true } },
);
