import { defineActions } from '../../api/access/actions.ts';

/** Issues and pull requests share labels, so either unit gives access to those of a repository. */
export const LABEL = defineActions('label', {
  read: { on: 'repository', level: 'read', unit: ['issues', 'pulls'], scopes: ['read:issue'] },
  change: { on: 'repository', level: 'write', unit: ['issues', 'pulls'], scopes: ['write:issue'] },
  readOfOrganization: { on: 'organization', rank: 'visitor', scopes: ['read:organization'] },
  changeOfOrganization: { on: 'organization', rank: 'owner', scopes: ['write:organization'] },
});
