import { hash } from 'node:crypto';
import { ANONYMOUS, isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import type { Addresses } from '../../http/app.ts';
import { NEVER_FILLED, UNSET_TIME, wireTime } from '../../http/time.ts';
import type { Account, AccountEmail, PublicAccount, ShownAccount } from './model.ts';
import {
  type EmailRecord,
  EmailSchema,
  type UserRecord,
  UserSchema,
  type UserSettings,
  UserSettingsSchema,
} from './schema.ts';

/** Stands for an author whose account is gone or hidden. */
const GHOST: PublicAccount = {
  id: -1,
  kind: 'user',
  name: 'Ghost',
  fullName: '',
  email: '',
  keepsEmailPrivate: true,
  visibility: 'public',
  website: '',
  location: '',
  description: '',
  pronouns: '',
  hidesPronouns: false,
  isRestricted: false,
  starredCount: 0,
  followersCount: 0,
  followingCount: 0,
  avatar: '',
  createdAt: 0,
};

/**
 * Presents an account. Fills private fields only if `account` has them and the viewer is that account or a site
 * administrator.
 */
export function presentUser(
  account: ShownAccount | PublicAccount,
  viewer: Viewer,
  addresses: Addresses,
): UserRecord {
  const isInsider = isSignedIn(viewer) && (viewer.isAdmin || viewer.accountId === account.id);
  return {
    ...presentOwner(account, viewer, addresses),
    ...(isInsider && 'isAdmin' in account ? privatePart(account) : {}),
    ...(isInsider && seesEmails(viewer) ? { email: account.email } : {}),
  };
}

/** Presents an account as the owner of something, without its private fields. */
export function presentOwner(account: PublicAccount, viewer: Viewer, addresses: Addresses): UserRecord {
  const isEmailVisible = seesEmails(viewer) && !account.keepsEmailPrivate;
  return {
    ...common(account, viewer, addresses),
    email: isEmailVisible ? account.email : noreplyAddress(account, addresses),
  };
}

/** Presents the author of a text. Clients expect a record also for one whose account is gone or hidden. */
export function presentAuthor(
  account: ShownAccount | null,
  viewer: Viewer,
  addresses: Addresses,
): UserRecord {
  return account === null ? ghost(addresses) : presentUser(account, viewer, addresses);
}

function ghost(addresses: Addresses): UserRecord {
  const { html_url: _, ...record } = common(GHOST, ANONYMOUS, addresses);
  return { ...record, html_url: addresses.baseUrl, email: '' };
}

/** An e-mail address is never public data. The server itself presents accounts to no one. */
export function seesEmails(viewer: Viewer): boolean {
  return viewer.kind === 'system' || (isSignedIn(viewer) && !viewer.publicOnly);
}

function common(account: PublicAccount, viewer: Viewer, addresses: Addresses): UserRecord {
  return {
    id: account.id,
    login: account.name,
    // External accounts (directories, other sign-in services) are not supported.
    login_name: '',
    source_id: 0,
    full_name: account.fullName,
    email: '',
    avatar_url: avatarAddress(account, addresses),
    html_url: `${addresses.baseUrl}/${encodeURIComponent(account.name)}`,
    language: '',
    is_admin: false,
    last_login: NEVER_FILLED,
    created: wireTime(account.createdAt),
    restricted: account.isRestricted,
    active: false,
    prohibit_login: false,
    location: account.location,
    pronouns: account.hidesPronouns && !isSignedIn(viewer) ? '' : account.pronouns,
    website: account.website,
    description: account.description,
    visibility: account.visibility,
    followers_count: account.followersCount,
    following_count: account.followingCount,
    starred_repos_count: account.starredCount,
    username: account.name,
  };
}

function privatePart(account: ShownAccount): Partial<UserRecord> {
  return {
    language: account.language,
    is_admin: account.isAdmin,
    last_login: account.lastLoginAt === null ? UNSET_TIME : wireTime(account.lastLoginAt),
    active: account.isActive,
    prohibit_login: account.isLoginProhibited,
  };
}

/**
 * Returns the address of the picture of a user or an organization: of the uploaded one, or of one that is drawn. It stays
 * the same after a rename and reveals no e-mail address.
 */
export function avatarAddress(
  { id, avatar: uploaded }: Pick<PublicAccount, 'id' | 'avatar'>,
  { baseUrl }: Addresses,
): string {
  if (uploaded !== '') return `${baseUrl}/avatars/${uploaded}`;
  const known = avatars.get(id);
  const avatar = known ?? hash('sha256', `account ${id}`).slice(0, 32);
  if (known === undefined) avatars.set(id, avatar);
  return `${baseUrl}/avatars/${avatar}`;
}

/** Names of pictures by accounts: the owner of a page of repositories is often the same. */
const avatars = createCountedCache<number, string>({ entriesMax: 1_000 });

/** Returns the address that replaces a hidden e-mail address. It receives no mail. */
export function noreplyAddress(account: Pick<PublicAccount, 'name'>, addresses: Addresses): string {
  return `${account.name.toLowerCase()}@noreply.${hostOf(addresses.baseUrl)}`;
}

/** A server has one address. Parsing it takes longer than everything else in a record of a user. */
let parsed: { readonly baseUrl: string; readonly host: string } | undefined;

function hostOf(baseUrl: string): string {
  if (parsed?.baseUrl !== baseUrl) parsed = { baseUrl, host: new URL(baseUrl).hostname };
  return parsed.host;
}

/** The theme of an account that has not chosen one. */
const DEFAULT_THEME = 'gitea-auto';

export function presentSettings(account: Account): UserSettings {
  return {
    full_name: account.fullName,
    website: account.website,
    description: account.description,
    location: account.location,
    pronouns: account.pronouns,
    language: account.language,
    theme: account.theme === '' ? DEFAULT_THEME : account.theme,
    diff_view_style: account.diffViewStyle,
    enable_repo_unit_hints: account.showsUnitHints,
    hide_email: account.keepsEmailPrivate,
    hide_pronouns: account.hidesPronouns,
    hide_activity: account.hidesActivity,
  };
}

export function presentEmail(address: AccountEmail): EmailRecord {
  return {
    email: address.email,
    primary: address.isPrimary,
    verified: address.isVerified,
    user_id: address.accountId,
    username: address.accountName,
  };
}

export const UserAnswer = answerOf(UserSchema, presentUser);
export const SettingsAnswer = answerOf(UserSettingsSchema, presentSettings);
export const EmailAnswer = answerOf(EmailSchema, presentEmail);
