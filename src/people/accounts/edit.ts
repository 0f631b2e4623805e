import type { Account, AccountEdit } from './model.ts';
import { type AccountColumns, emailColumns } from './store/accounts.ts';

/** Returns the names of the fields that `edit` would change, except the password. */
export function changedFields(account: Account, edit: AccountEdit): readonly string[] {
  const { password: _, ...fields } = edit;
  const known: Readonly<Record<string, unknown>> = { ...account };
  return Object.entries(fields)
    .filter(([field, value]) => value !== undefined && value !== known[field])
    .map(([field]) => field);
}

export function columnsOf(edit: AccountEdit): AccountColumns {
  return {
    ...(edit.email === undefined ? {} : emailColumns(edit.email)),
    language: edit.language,
    theme: edit.theme,
    diff_view_style: edit.diffViewStyle,
    hides_pronouns: flag(edit.hidesPronouns),
    hides_activity: flag(edit.hidesActivity),
    shows_unit_hints: flag(edit.showsUnitHints),
    may_create_organizations: flag(edit.mayCreateOrganizations),
    full_name: edit.fullName,
    website: edit.website,
    location: edit.location,
    description: edit.description,
    pronouns: edit.pronouns,
    visibility: edit.visibility,
    keeps_email_private: flag(edit.keepsEmailPrivate),
    is_admin: flag(edit.isAdmin),
    is_active: flag(edit.isActive),
    is_login_prohibited: flag(edit.isLoginProhibited),
    is_restricted: flag(edit.isRestricted),
    must_change_password: flag(edit.mustChangePassword),
  };
}

function flag(value: boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  return value ? 1 : 0;
}
