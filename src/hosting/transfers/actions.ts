import { defineActions } from '../../api/access/actions.ts';

export const TRANSFER = defineActions('repository', {
  transfer: {
    on: 'repository',
    level: 'owner',
    scopes: ['write:repository'],
    why: 'only the owner of a repository may transfer it',
  },
  // A recipient may see the repository while the transfer is pending. The service checks who the recipient is.
  answerTransfer: { on: 'repository', level: 'read', signedIn: true, scopes: ['write:repository'] },
});
