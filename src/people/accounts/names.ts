import { ACCOUNT_LIMITS } from './limits.ts';

/** Letters and digits, with a single `-`, `_` or `.` between them. */
const ALLOWED = /^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/;

/** First segments of paths that the server uses or may use later. Accounts with these names would collide with them. */
const RESERVED: ReadonlySet<string> = new Set(
  `. .. - .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user admin
  explore issues pulls milestones notifications report_abuse favicon.ico manifest.json robots.txt sitemap.xml ssh_info
  swagger.v1.json ghost gitea-actions forgejo-actions index.php ocs apps remote.php status.php swagger healthz
  notes-api`.split(/\s+/),
);
/** Endings that have another meaning in a path: the keys, the feeds or the picture of an account. */
const RESERVED_ENDINGS = ['.keys', '.gpg', '.rss', '.atom', '.png'];

/** Describes why a user or an organization cannot have this name; undefined for a valid name. */
export function accountNameProblem(name: string): string | undefined {
  if (name === '') return '[Username]: Required';
  if (name.length > ACCOUNT_LIMITS.nameCharsMax) return `[Username]: MaxSize(${ACCOUNT_LIMITS.nameCharsMax})`;
  if (RESERVED.has(name.toLowerCase())) return `name is reserved [name: ${name}]`;
  if (!ALLOWED.test(name)) return '[Username]: AlphaDashDot';
  const ending = RESERVED_ENDINGS.find((candidate) => name.toLowerCase().endsWith(candidate));
  return ending === undefined ? undefined : `name pattern is not allowed [pattern: *${ending}]`;
}

/** Whether an account could have this name. If not, callers need not query the database. */
export function isPossibleAccountName(name: string): boolean {
  return name.length <= ACCOUNT_LIMITS.nameCharsMax && ALLOWED.test(name);
}
