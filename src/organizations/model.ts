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

/** A new organization, for listeners. */
export interface OrganizationMade {
  readonly organizationId: number;
  /** the user who owns it */
  readonly ownerId: number;
  readonly actorId: number | null;
}

/** A member who is about to leave, for listeners. */
export interface MemberLeaving {
  readonly organizationId: number;
  readonly accountId: number;
  readonly actorId: number | null;
}

/** An organization that is about to be deleted, for listeners. */
export interface OrganizationRemoval {
  readonly organization: { readonly id: number; readonly name: string };
  readonly actorId: number | null;
}
