import { defineActions } from '../../api/access/actions.ts';

export const MARKDOWN = defineActions('markdown', {
  /** A POST, for which a token needs the scope of writing. References need the scopes of what they lead to, too. */
  render: { on: 'self', scopes: ['write:misc'] },
});
