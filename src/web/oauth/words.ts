import { SCOPE_CATEGORIES } from '../../api/access/scopes.ts';
import { wordsOf } from '../../people/oauth-grants/scopes.ts';

type Category = (typeof SCOPE_CATEGORIES)[number];

const THINGS: Readonly<Record<Category, string>> = {
  activitypub: 'your exchange with other servers',
  admin: 'the administration of this server, as far as you are an administrator',
  issue: 'your issues, comments, labels and milestones',
  misc: 'settings and templates of this server',
  notification: 'your notifications',
  organization: 'your organizations and teams',
  package: 'your packages',
  repository: 'your repositories, also over git',
  user: 'your account, with its keys, e-mail addresses and settings',
};

/** In the order in which a page lists them. */
const FIRST: Readonly<Record<string, string>> = {
  openid: 'know which account is yours',
  profile: 'read your name and see your picture',
  email: 'read your e-mail address',
  groups: 'read the names of your organizations and teams',
  all: 'do everything that you can do: read and change your repositories, your account and all else',
};
/** They take away from what precedes them. */
const LAST: Readonly<Record<string, string>> = {
  'public-only': 'do this only with what is public',
  'notes-only': 'do this only with your notes',
};

/** Returns what a grant of these scopes allows, in words that follow "will be able to". */
export function inWords(scopes: string): readonly string[] {
  const words = wordsOf(scopes === '' ? 'all' : scopes);
  const has = new Set(words);
  const named = (texts: typeof FIRST) =>
    Object.entries(texts).flatMap(([scope, text]) => (has.has(scope) ? [text] : []));
  const things = SCOPE_CATEGORIES.flatMap((category) => {
    if (has.has(`write:${category}`)) return [`read and change ${THINGS[category]}`];
    return has.has(`read:${category}`) ? [`read ${THINGS[category]}`] : [];
  });
  return [...named(FIRST), ...things, ...named(LAST)];
}
