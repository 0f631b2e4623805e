import { LIMITS } from '../core/limits.ts';

/** Letters, digits and `-_.`, beginning and ending with a letter or digit, no two of the others in a row. */
const ALLOWED = /^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/;

/** What stands, or may come to stand, at the first place of a path. An account of that name would be in its way. */
const RESERVED: ReadonlySet<string> = new Set(
  `. .. - .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user admin
  explore issues pulls milestones notifications report_abuse favicon.ico manifest.json robots.txt sitemap.xml ssh_info
  swagger.v1.json ghost gitea-actions forgejo-actions index.php ocs apps remote.php status.php swagger healthz
  notes-api`.split(/\s+/),
);
/** Endings that mean something else than the account in a path: its keys, its feeds, its picture. */
const RESERVED_ENDINGS = ['.keys', '.gpg', '.rss', '.atom', '.png'];

/** What is wrong with the name of a user or an organization, for the person who chose it; undefined for a good one. */
export function accountNameProblem(name: string): string | undefined {
  if (name === '') return '[Username]: Required';
  if (name.length > LIMITS.nameCharsMax) return `[Username]: MaxSize(${LIMITS.nameCharsMax})`;
  if (RESERVED.has(name.toLowerCase())) return `name is reserved [name: ${name}]`;
  if (!ALLOWED.test(name)) return '[Username]: AlphaDashDot';
  const ending = RESERVED_ENDINGS.find((candidate) => name.toLowerCase().endsWith(candidate));
  return ending === undefined ? undefined : `name pattern is not allowed [pattern: *${ending}]`;
}

/** Whether an account could have this name, so that asking the database for it makes sense. */
export function isPossibleAccountName(name: string): boolean {
  return name.length <= LIMITS.nameCharsMax && ALLOWED.test(name);
}
