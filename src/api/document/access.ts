import type { Action } from '../access/actions.ts';
import type { Security } from './model.ts';

const CREDENTIALS: Security = [{ basic: [] }, { token: [] }];

/**
 * Returns the credentials that an operation takes. Without scopes, it does the same for every caller. An empty entry
 * means that anonymous callers may use it, too; with credentials, they see more.
 */
export function securityOf(action: Action): Security {
  if (action.on === 'open' && action.scopes.length === 0) return [];
  return isOpenToAnonymous(action) ? [{}, ...CREDENTIALS] : CREDENTIALS;
}

function isOpenToAnonymous(action: Action): boolean {
  switch (action.on) {
    case 'open':
      return true;
    case 'repository':
      return action.level === 'read' && action.signedIn !== true;
    case 'organization':
      return action.rank === 'visitor';
    case 'self':
    case 'site':
    case 'team':
      return false;
  }
}

/** Describes who may use an operation. */
export function rightsFor(action: Action): string {
  const scopes = action.scopes.map((scope) => `\`${scope}\``).join(' and ');
  const token = scopes === '' ? '' : ` A token needs the scope ${scopes}.`;
  return `${whoMay(action)}${token}`;
}

function whoMay(action: Action): string {
  switch (action.on) {
    case 'open':
      return 'Open to everyone.';
    case 'self':
      return 'You must be signed in.';
    case 'site':
      return 'Only site administrators may do this.';
    case 'team':
      return action.within === 'owners'
        ? 'Only owners of the organization may do this.'
        : `Only members of the ${action.within} and owners of the organization may do this.`;
    case 'organization':
      return action.rank === 'visitor'
        ? 'Open to everyone who sees the organization.'
        : `Only ${action.rank}s of the organization may do this.`;
    case 'repository': {
      const unit = action.unit === undefined ? '' : ` (${[action.unit].flat().join(' or ')})`;
      const signedIn = action.signedIn === true ? ' and must be signed in' : '';
      const { level, levelBySettings: usual } = action;
      if (usual === undefined) return `You need level ${level} on the repository${unit}${signedIn}.`;
      return `You need level ${usual} on the repository${unit}, or ${level} if its settings permit that${signedIn}.`;
    }
  }
}
