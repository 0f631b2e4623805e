import { visibilityOf } from '../accounts/profile.ts';
import type { NewOrganization, OrganizationEdit } from './model.ts';
import type { CreateOrganization, EditOrganization } from './schema.ts';

/** @throws ForgeError `invalid` */
export function newOrganizationOf(body: CreateOrganization): NewOrganization {
  const edit = organizationEditOf(body);
  // A new organization has no e-mail address, so an empty one removes nothing and counts as absent.
  return { ...edit, name: body.username, email: edit.email === '' ? undefined : edit.email };
}

/** @throws ForgeError `invalid` */
export function organizationEditOf(body: EditOrganization): OrganizationEdit {
  return {
    fullName: body.full_name,
    email: body.email,
    description: body.description,
    website: body.website,
    location: body.location,
    visibility: visibilityOf(body.visibility),
    repositoryAdminsChangeTeams: body.repo_admin_change_team_access,
    teamAdminsDelete: body.team_admin_delete_repos,
    requiresSecondFactor: body.require_second_factor,
  };
}
