import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const API = '^/api/v1';
const REPO = `${API}/repos/:owner/:repo`;

/** The capabilities in the README's section "What works", each with patterns for its routes. */
const CAPABILITIES: Record<string, readonly string[]> = {
  Accounts: [`${API}/user$`, `${API}/users/(search|:username)$`, `${API}/user/(settings|emails|password)$`],
  Administration: [
    `${API}/admin/(emails(/search)?|orgs|users)$`,
    `${API}/admin/users/:username(/emails|/orgs|/rename|/repos)?$`,
    `${API}/admin/(cron|unadopted)`,
  ],
  'Sign-in of browsers': [
    '^/user/(login|logout|confirm|settings(/sessions)?)$',
    `${API}/(user|admin/users/:username)/sessions(/:id)?$`,
  ],
  'Accounts by mail': [
    '^/user/(sign_up|forgot_password)$',
    '^/user/(activate|invitation|recover_account|activate_email|undo_email)/:token$',
    '^/user/settings/account(/(emails|password|delete))?$',
    `${API}/admin/invitations(/:id)?$`,
    `${API}/admin/users/:username/(reset-link|emails/verify)$`,
  ],
  'Second factors': [
    '^/user/(two_factor|settings/security(/.*)?)$',
    '^/assets/:file$',
    `${API}/admin/users/:username/second-factor$`,
  ],
  'Sign-in by others': ['^/user/(oauth2/:provider(/callback)?|link_account|settings/linked-accounts)$'],
  'OAuth2 and OpenID Connect': [
    '^/login/oauth/',
    '^/.well-known/o',
    '^/(user/settings|org/:org/settings|admin)/applications',
    `${API}/(user|admin|orgs/:org)/applications/oauth2(/:id)?$`,
  ],
  Quotas: [`${API}/admin/quota/`, `${API}/admin/users/:username/quota`, `${API}/(user|orgs/:org)/quota`],
  Tokens: [`/users/:username/tokens(/:token)?$`],
  'Audit log': [`${API}/(admin|user|orgs/:org)/audit$`],
  'Following and blocking': [
    `${API}/users?/(:username/)?(followers|following)`,
    `${API}/(user|orgs/:org)/((un)?block/:username|list_blocked)$`,
  ],
  Avatars: [`${API}/(user|orgs/:org|repos/:owner/:repo)/avatar$`, '^/(repo-)?avatars/:hash$'],
  Organizations: [
    `${API}/orgs(/:org)?$`,
    `${API}/orgs/:org/(members|public_members|rename)`,
    `${API}/users?/(:username/)?orgs`,
  ],
  Teams: [`${API}/orgs/:org/teams`, `${API}/teams`, `${API}/user/teams$`, `${REPO}/teams`],
  Repositories: [
    `${REPO}$`,
    `${API}/repositories/:id$`,
    `${API}/orgs?/:org/repos$`,
    `${API}/users?/(:username/)?repos$`,
  ],
  Collaborators: [`${REPO}/(collaborators|assignees|reviewers)`],
  Transfers: [`${REPO}/transfer`],
  'Template repositories': [`${API}/repos/:template_owner/:template_repo/generate$`],
  'Migrations and mirrors': [
    `${API}/repos/migrate$`,
    `${REPO}/(mirror-sync|convert)$`,
    `${API}/user/migrations(/:id)?$`,
  ],
  'Push mirrors': [`${REPO}/push_mirrors`],
  Forks: [`${REPO}/(forks|merge-upstream|sync_fork)`],
  Search: [`${API}/repos/search$`],
  'Stars and watching': [
    `${REPO}/(stargazers|subscribers|subscription)$`,
    `${API}/users?/(:username/)?(starred|subscriptions)`,
  ],
  Keys: [
    `${API}/users?/(:username/)?(gpg_)?keys(/:id)?$`,
    `${API}/user/gpg_key_(token|verify)$`,
    `${API}/admin/users/:username/keys(/:id)?$`,
    `${REPO}/keys(/:id)?$`,
    '^/:owner\\.(keys|gpg)$',
    `${API}/(repos/:owner/:repo/)?signing-key\\.(gpg|ssh|pub)$`,
  ],
  Issues: [
    `${REPO}/issues(/:number(/subscriptions.*)?)?$`,
    '/repos/issues/search$',
    `${REPO}/issues/(:number/)?comments(/:id)?$`,
    `${REPO}/issues/:number/(timeline|lock|deadline|labels(/:identifier)?|pin(/:position)?)$`,
    `${REPO}/(issues/pinned|new_pin_allowed)$`,
    `${REPO}/issues/(:number|comments/:id)/reactions$`,
    `${REPO}/issues/(:number|comments/:id)/assets(/:attachment_id)?$`,
    '^/attachments/:uuid$',
    `${REPO}/issues/:number/(dependencies|blocks)$`,
    '^/:owner/:repo/issues(/|$)',
    '^/(issues|pulls)$',
  ],
  'Pull requests': [
    `${REPO}/pulls(/|$)`,
    `${REPO}/commits/:sha/(revert|cherry-pick|pull)$`,
    '^/:owner/:repo/pulls(/:number(\\.:diffType|/.+)?)?(\\(|$)',
  ],
  Notifications: [
    '^/notifications',
    `${API}/notifications`,
    `${REPO}/notifications$`,
    `${API}/user/mail$`,
    '/-/mail/unsubscribe/:token$',
  ],
  Events: [`${API}/events$`, `${REPO}/events$`, `${API}/orgs/:org/events$`, `${API}/users/:username/events$`],
  Activities: [
    `${REPO}/activities/feeds$`,
    `${API}/(orgs/:org|users/:username)/activities/feeds$`,
    `${API}/users/:username/heatmap$`,
    '^/:owner(/:repo(/(releases|tags))?)?\\.(rss|atom)$',
    '^/:owner/:repo/(rss|atom)/branch/',
  ],
  Webhooks: [`${REPO}/hooks`, `${API}/orgs/:org/hooks`, `${API}/(user|admin)/hooks`],
  'Labels and milestones': [
    `${REPO}/(labels(/:id)?|milestones(/:milestone)?)$`,
    `${API}/orgs/:org/labels(/:id)?$`,
    '^/:owner/:repo/(labels|milestones?)(/|$)',
  ],
  'Time tracking': [
    `${REPO}/(issues/:number/(times|stopwatch)|times)(/|$)`,
    `${API}/user/(times|stopwatches)$`,
  ],
  Markdown: [`${API}/(markdown|markdown/raw|markup)$`],
  Topics: [`${REPO}/topics`, `${API}/topics/search$`],
  Flags: [`${REPO}/flags`],
  Languages: [`${REPO}/languages$`],
  Files: [
    `${REPO}/(contents|contents-ext|file-contents|diffpatch|raw|media)(/|$)`,
    '^/:owner/:repo/_(edit|new|upload|delete)/',
  ],
  'Git data': [
    `${REPO}/git/(blobs|trees|commits)(/:sha)?$`,
    `${REPO}/git/(refs|ref|matching-refs|notes)(/|$)`,
  ],
  Commits: [
    `${REPO}/commits$`,
    `${REPO}/compare/`,
    `${REPO}/git/commits/:sha\\.`,
    '^/:owner/:repo/(commits|compare)/',
  ],
  'Branches and tags': [
    `${REPO}/(branches|tags)`,
    `${REPO}/git/tags(/:sha)?$`,
    '^/:owner/:repo/(branches|tags)(/|$)',
  ],
  Releases: [`${REPO}/releases`, '^/:owner/:repo/releases(/|$)'],
  Protection: [`${REPO}/(branch|tag)_protections`],
  'Commit statuses': [`${REPO}/statuses/:sha$`, `${REPO}/commits/:ref/status(es)?$`],
  Archives: [`${REPO}/archive/`, '^/:owner/:repo/archive/'],
  'Signed addresses': ['^/-/objects/'],
  'EditorConfig and issue templates': [`${REPO}/(editorconfig|issue_templates|issue_config)`],
  Templates: [`${API}/(gitignore|label)/templates`, `${API}/licenses`],
  Pages: [
    '^/:owner$',
    '^/:owner/:repo(/(src|raw|media|commit|blame|find)/.+|/search|/\\*)?$',
    '^/explore/(repos|users|organizations)$',
    '^/-/(help|admin(/.*)?)$',
    '^/repo/(create|migrate)$',
    '^/:owner/:repo/(fork|action/\\w+|settings(/.*)?)$',
    '^/org/(create|:org/settings(/(delete|members|teams|hooks).*)?)$',
    '^/user/settings/(avatar|tokens|keys|notifications|blocked_users)(/\\w+)?$',
  ],
  Wikis: [`${REPO}/wiki/`, '^/:owner/:repo/wiki(/|$)'],
  'Git over HTTP and SSH': ['^/:owner/:repo/(info/refs|git-upload-pack|git-receive-pack)$'],
  'Git LFS': ['^/:owner/:repo/info/lfs/'],
  Notes: ['^(/index.php)?/apps/notes/api/', '^/ocs/v[12].php/cloud/capabilities$', '^(/-)?/notes(/|$)'],
  'Sign-in of notes apps': [
    '^(/index.php)?/login/(v2|flow)',
    '^(/index.php)?/avatar/',
    '^/status.php$',
    '^/ocs/v[12].php/(cloud/users?|core)/?',
    '^/remote.php/',
  ],
  Server: [
    '^/$',
    '^/api/(healthz|swagger)',
    '^/(metrics|swagger.v1.json|robots.txt)$',
    `${API}/(version|nodeinfo|settings/\\w+|openapi.json)$`,
  ],
};

function claims(capability: string, url: string): boolean {
  return CAPABILITIES[capability]?.some((pattern) => new RegExp(pattern).test(url)) ?? false;
}

/** Returns the bold titles in the section "What works". */
function claimedCapabilities(): string[] {
  const [, after = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## What works\n');
  const [section = ''] = after.split('\n## ');
  return [...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, title = '']) => title);
}

test('the README lists exactly the capabilities that this test maps to routes', () => {
  assert.deepEqual(claimedCapabilities(), Object.keys(CAPABILITIES));
});

test('every capability in the README has routes, and every route belongs to exactly one capability', async (t) => {
  const forge = await startForge(t);
  const urls = [...new Set(forge.forge.running.app.statedRoutes.map(({ url }) => url))];
  const claimed = urls.map((url) => ({
    url,
    by: Object.keys(CAPABILITIES).filter((each) => claims(each, url)),
  }));

  assert.deepEqual(
    Object.keys(CAPABILITIES).filter((each) => !claimed.some(({ by }) => by.includes(each))),
    [],
    'capabilities without a route',
  );
  assert.deepEqual(
    claimed.filter(({ by }) => by.length !== 1),
    [],
    'routes of no capability, or of several',
  );
});
