import type { Standing } from '../access/standing.ts';
import type { AccountVisibility, PublicAccount } from '../accounts/model.ts';

export interface Organization extends PublicAccount {
  /** administrators of a repository may add it to teams */
  readonly repositoryAdminsChangeTeams: boolean;
}

/** An organization that was looked up and authorized for a viewer, with the viewer's standing in it. */
export interface HeldOrganization {
  readonly organization: Organization;
  readonly standing: Standing;
}

/** A change of an organization. Absent fields stay unchanged. */
export interface OrganizationEdit {
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  readonly description?: string | undefined;
  readonly website?: string | undefined;
  readonly location?: string | undefined;
  readonly visibility?: AccountVisibility | undefined;
  readonly repositoryAdminsChangeTeams?: boolean | undefined;
}

export interface NewOrganization extends OrganizationEdit {
  readonly name: string;
}

/** An organization appears; told in its transaction. */
export interface OrganizationMade {
  readonly organizationId: number;
  /** the user who owns it from the beginning */
  readonly ownerId: number;
  readonly actorId: number | null;
}

/** Somebody is to be no member any more; told in its transaction. */
export interface MemberLeaving {
  readonly organizationId: number;
  readonly accountId: number;
  readonly actorId: number | null;
}

/** An organization is about to go, in a purge with all that it owns; told in its transaction. */
export interface OrganizationRemoval {
  readonly organization: { readonly id: number; readonly name: string };
  readonly actorId: number | null;
}
