import { defineActions } from '../../api/access/actions.ts';

// A setting of the account names the repository that holds the notes; each call checks the level on that repository.
export const NOTE = defineActions('note', {
  read: { on: 'self', scopes: ['read:repository'], forNotes: true },
  write: { on: 'self', scopes: ['write:repository'], forNotes: true },
});
