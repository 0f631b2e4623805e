import { invalid } from '../../base/core/failure.ts';
import { readTime } from '../../http/time.ts';
import type { AccountEdit, AccountOrder, NewAccount } from './model.ts';
import { visibilityOf } from './profile.ts';
import type { CreateUser, EditUser, EditUserSettings } from './schema.ts';

/** The API's value for no limit. */
const UNLIMITED = -1;

/** @throws ForgeError `invalid` */
export function newAccountOf(body: CreateUser): NewAccount {
  requireOwnSource(body);
  return {
    name: body.username,
    email: body.email,
    password: body.password ?? null,
    fullName: body.full_name,
    visibility: visibilityOf(body.visibility),
    isRestricted: body.restricted,
    mustChangePassword: body.must_change_password,
    createdAt: body.created_at === undefined ? undefined : timeOf(body.created_at),
  };
}

/** @throws ForgeError `invalid` */
export function accountEditOf(body: EditUser): AccountEdit {
  requireOwnSource(body);
  requireNoQuota(body);
  return {
    email: body.email,
    password: body.password,
    fullName: body.full_name,
    website: body.website,
    location: body.location,
    description: body.description,
    pronouns: body.pronouns,
    visibility: visibilityOf(body.visibility),
    keepsEmailPrivate: body.hide_email,
    isAdmin: body.admin,
    isActive: body.active,
    isLoginProhibited: body.prohibit_login,
    isRestricted: body.restricted,
    mustChangePassword: body.must_change_password,
    mayCreateOrganizations: body.allow_create_organization,
  };
}

function requireOwnSource({ source_id: source = 0 }: CreateUser | EditUser): void {
  if (source !== 0) throw invalid('[SourceID]: must be 0, because external accounts are not supported');
}

/** Rejects a limit, because the server could not enforce it. */
function requireNoQuota({ max_repo_creation: max = UNLIMITED }: EditUser): void {
  if (max !== UNLIMITED) throw invalid('[MaxRepoCreation]: must be -1, because limits are not supported');
}

export function settingsEditOf(body: EditUserSettings): AccountEdit {
  return {
    fullName: body.full_name,
    website: body.website,
    description: body.description,
    location: body.location,
    pronouns: body.pronouns,
    language: body.language,
    theme: body.theme,
    diffViewStyle: body.diff_view_style,
    showsUnitHints: body.enable_repo_unit_hints,
    keepsEmailPrivate: body.hide_email,
    hidesPronouns: body.hide_pronouns,
    hidesActivity: body.hide_activity,
  };
}

const ORDERS: readonly AccountOrder[] = [
  'oldest',
  'newest',
  'alphabetically',
  'reversealphabetically',
  'recentupdate',
  'leastupdate',
];

/** Parses an order. An unknown one counts as absent. */
export function orderOf(word: string | undefined): AccountOrder | undefined {
  return ORDERS.find((order) => order === word);
}

function timeOf(text: string): number {
  const ms = readTime(text);
  if (ms === undefined) throw invalid('[CreatedAt]: must be an RFC 3339 date and time');
  return ms;
}
