import { defineEvent } from '../../base/events/model.ts';
import type { DeletedObjects } from '../../git/interface/upkeep.ts';

export const REPOSITORY_PURGED = defineEvent<DeletedObjects>('repository.purged', {
  audit: { target: 'repository' },
});
