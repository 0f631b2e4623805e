import type { Standing } from '../../api/access/standing.ts';
import type { AccountVisibility, PublicAccount } from '../accounts/model.ts';

/** What an organization allows to users who are not its owners. */
export interface OrganizationRules {
  /** whether administrators of a repository may add it to teams and remove it from them */
  readonly repositoryAdminsChangeTeams: boolean;
  /** whether members of a team with level admin may delete the repositories of the team */
  readonly teamAdminsDelete: boolean;
  /** whether all members have a second factor; nothing makes a user without one a member */
  readonly requiresSecondFactor: boolean;
}

export interface Organization extends PublicAccount, OrganizationRules {}

/** An organization that was looked up and authorized for a viewer, with the viewer's standing in it. */
export interface PermittedOrganization {
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
  readonly teamAdminsDelete?: boolean | undefined;
  readonly requiresSecondFactor?: boolean | undefined;
}

export interface NewOrganization extends OrganizationEdit {
  readonly name: string;
}

/** A new organization, as listeners receive it. */
export interface CreatedOrganization {
  readonly organizationId: number;
  /** its first owner, a user */
  readonly ownerId: number;
  readonly actorId: number | null;
}

/** A user who joins an organization, or a member who leaves it. */
export interface MembershipChange {
  readonly organizationId: number;
  readonly accountId: number;
  readonly actorId: number | null;
}

/** An organization that is about to be deleted, as listeners receive it. */
export interface OrganizationRemoval {
  readonly organization: { readonly id: number; readonly name: string };
  readonly actorId: number | null;
}
