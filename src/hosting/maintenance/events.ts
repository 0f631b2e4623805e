import { defineEvent } from '../../base/events/model.ts';
import type { DeletedObjects } from '../../git/folders/deleted-objects.ts';

export const REPOSITORY_PURGED = defineEvent<DeletedObjects>('repository.purged');
