import { defineEvent } from '../../base/events/model.ts';

type Visibility = 'public' | 'private';

export const COLLABORATOR_CHANGED = defineEvent<{ accountId: number; level: string }>(
  'collaborator.changed',
  { people: ['accountId'], audit: { target: 'account', id: 'accountId' } },
);
export const COLLABORATOR_REMOVED = defineEvent<{ accountId: number }>('collaborator.removed', {
  people: ['accountId'],
  audit: { target: 'account', id: 'accountId' },
});
export const REPOSITORY_CREATED = defineEvent<{ owner: string; name: string; private: boolean }>(
  'repository.created',
  { audit: { target: 'repository' } },
);
export const REPOSITORY_DELETED = defineEvent<{ name: string }>('repository.deleted', {
  audit: { target: 'repository' },
});

/** The event belongs to the repository that was forked. */
export const REPOSITORY_FORKED = defineEvent<{ forkId: number }>('repository.forked');

export const REPOSITORY_RENAMED = defineEvent<{ from: string; to: string }>('repository.renamed', {
  audit: { target: 'repository' },
});
export const REPOSITORY_CHANGED = defineEvent<{ changed: readonly string[] }>('repository.changed', {
  audit: { target: 'repository' },
});
export const REPOSITORY_VISIBILITY_CHANGED = defineEvent<{ from: Visibility; to: Visibility }>(
  'repository.visibility-changed',
  { audit: { target: 'repository' } },
);
export const REFS_CHANGED = defineEvent<{
  updates: readonly { ref: string; old: string | null; new: string | null }[];
  via: 'push' | 'api' | 'mirror';
  /** The server wrote the first refs of a repository: of its first commit, of a template or of a source. */
  ofCreation?: true;
}>('refs.changed');
