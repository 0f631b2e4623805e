import { whyNotByCredential } from '../../api/access/guard.ts';
import type { SignedIn } from '../../api/access/viewer.ts';
import { forbidden } from '../../base/core/failure.ts';
import type { Html } from '../../base/core/text/html.ts';
import { ORGANIZATION_REPOSITORIES } from '../../hosting/repositories/actions.ts';
import { ACCOUNT_ORGANIZATIONS } from '../../people/organizations/actions.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { WEB_LIMITS } from '../limits.ts';
import { selectField } from '../parts/fields.ts';

/** Returns the field for the owner of a new repository: the viewer, or an organization of theirs. */
export async function ownerField(
  viewer: SignedIn,
  chosen: string,
  organizations: Organizations,
): Promise<Html> {
  const paging = { page: 1, limit: WEB_LIMITS.ownersOfferedMax };
  const mayList = whyNotByCredential(viewer, ACCOUNT_ORGANIZATIONS.listOrganizations) === undefined;
  const { items } = mayList ? await organizations.listOwn(viewer, paging) : { items: [] };
  const names = [viewer.name, ...items.map(({ name }) => name)];
  const value = names.find((name) => name.toLowerCase() === chosen.toLowerCase()) ?? viewer.name;
  return selectField({ name: 'owner', label: 'Owner', value, options: names.map((name) => [name, name]) });
}

/** Whether a form names the viewer as the owner. */
export function isOwn(viewer: SignedIn, owner: string): boolean {
  return owner === '' || owner.toLowerCase() === viewer.name.toLowerCase();
}

/** @throws ForgeError `forbidden` if the credential does not suffice for a repository of an organization */
export function requireForOrganization(viewer: SignedIn): void {
  const why = whyNotByCredential(viewer, ORGANIZATION_REPOSITORIES.createRepository);
  if (why !== undefined) throw forbidden(why);
}
