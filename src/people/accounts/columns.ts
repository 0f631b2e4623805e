import { fragment, raw } from '../../base/database/fragment.ts';
import type { AccountKind, AccountVisibility, PublicAccount, ShownAccount, SignInState } from './model.ts';

/** Columns of `accounts a` that decide whether the account may sign in. */
export interface SignInColumns {
  id: number;
  kind: AccountKind;
  name: string;
  is_admin: number;
  is_restricted: number;
  is_active: number;
  is_login_prohibited: number;
  must_change_password: number;
  has_second_factor: number;
  needs_second_factor: number;
  credential_version: number;
}

export const SIGN_IN_COLUMNS = raw(
  'a.id, a.kind, a.name, a.is_admin, a.is_restricted, a.is_active, a.is_login_prohibited, a.must_change_password, a.has_second_factor, a.needs_second_factor, a.credential_version',
);

export function signInStateOf(row: SignInColumns): SignInState {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    isAdmin: row.is_admin === 1,
    isRestricted: row.is_restricted === 1,
    isActive: row.is_active === 1,
    isLoginProhibited: row.is_login_prohibited === 1,
    mustChangePassword: row.must_change_password === 1,
    hasSecondFactor: row.has_second_factor === 1,
    needsSecondFactor: row.needs_second_factor === 1,
    credentialVersion: row.credential_version,
  };
}

/** Columns of the owner in a row that joins `accounts o`. */
export interface OwnerColumns {
  owner_id: number;
  owner_kind: AccountKind;
  owner_name: string;
  owner_full_name: string;
  owner_email: string;
  owner_keeps_email_private: number;
  owner_visibility: AccountVisibility;
  owner_website: string;
  owner_location: string;
  owner_description: string;
  owner_pronouns: string;
  owner_hides_pronouns: number;
  owner_is_restricted: number;
  owner_starred_count: number;
  owner_followers_count: number;
  owner_following_count: number;
  owner_avatar: string;
  owner_created_at: number;
}

/** Columns of `accounts o` that `ownerOfColumns` reads. */
export const OWNER_COLUMNS = raw(
  namedOfOwner([
    'id',
    'kind',
    'name',
    'full_name',
    'email',
    'keeps_email_private',
    'visibility',
    'website',
    'location',
    'description',
    'pronouns',
    'hides_pronouns',
    'is_restricted',
    'starred_count',
    'followers_count',
    'following_count',
    'avatar',
    'created_at',
  ]),
);

/** Columns of a user in a row that joins `accounts o`. */
export interface UserColumns extends OwnerColumns {
  owner_is_admin: number;
  owner_is_active: number;
  owner_is_login_prohibited: number;
  owner_language: string;
  owner_last_login_at: number | null;
}

/** Columns of `accounts o` that `userOfColumns` reads. */
export const USER_COLUMNS = fragment`${OWNER_COLUMNS}, ${raw(
  namedOfOwner(['is_admin', 'is_active', 'is_login_prohibited', 'language', 'last_login_at']),
)}`;

function namedOfOwner(columns: readonly string[]): string {
  return columns.map((column) => `o.${column} as owner_${column}`).join(', ');
}

export function ownerOfColumns(row: OwnerColumns): PublicAccount {
  return {
    id: row.owner_id,
    kind: row.owner_kind,
    name: row.owner_name,
    fullName: row.owner_full_name,
    email: row.owner_email,
    keepsEmailPrivate: row.owner_keeps_email_private === 1,
    visibility: row.owner_visibility,
    website: row.owner_website,
    location: row.owner_location,
    description: row.owner_description,
    pronouns: row.owner_pronouns,
    hidesPronouns: row.owner_hides_pronouns === 1,
    isRestricted: row.owner_is_restricted === 1,
    starredCount: row.owner_starred_count,
    followersCount: row.owner_followers_count,
    followingCount: row.owner_following_count,
    avatar: row.owner_avatar,
    createdAt: row.owner_created_at,
  };
}

export function userOfColumns(row: UserColumns): ShownAccount {
  return {
    ...ownerOfColumns(row),
    isAdmin: row.owner_is_admin === 1,
    isActive: row.owner_is_active === 1,
    isLoginProhibited: row.owner_is_login_prohibited === 1,
    language: row.owner_language,
    lastLoginAt: row.owner_last_login_at,
  };
}
