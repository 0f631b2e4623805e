import { defineEvent } from '../../base/events/model.ts';

/** An unadopted repository was deleted. Its adoption is the creation of a repository. */
export const UNADOPTED_DELETED = defineEvent<{ owner: string; name: string }>(
  'unadopted-repository.deleted',
  { audit: { target: 'unadopted-repository', name: 'name' } },
);
