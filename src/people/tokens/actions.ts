import { defineActions } from '../../api/access/actions.ts';

export const TOKEN = defineActions('token', {
  list: { on: 'self', scopes: ['read:user'] },
  create: { on: 'self', scopes: ['write:user'], needsProof: true },
  delete: { on: 'self', scopes: ['write:user'] },
});
