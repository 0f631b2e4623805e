import { defineActions } from '../../api/access/actions.ts';

export const TEMPLATE_REPOSITORY = defineActions('repository', {
  // The template and the new owner are looked up later, each with an action of its own.
  generate: { on: 'self', scopes: ['write:repository'] },
});
