import type { Action } from '../../src/api/access/actions.ts';
import { DEPLOY_KEY, KEY } from '../../src/code/keys/actions.ts';
import { PROTECTION } from '../../src/code/protection/actions.ts';
import { CRON } from '../../src/hosting/cron/actions.ts';
import { MIGRATION, MIRROR } from '../../src/hosting/mirrors/actions.ts';
import { ACCOUNT_REPOSITORIES, COLLABORATOR, REPOSITORY } from '../../src/hosting/repositories/actions.ts';
import { REPOSITORY_SEARCH } from '../../src/hosting/search/actions.ts';
import { STAR, WATCH } from '../../src/hosting/stars/actions.ts';
import { REPOSITORY_TEAMS } from '../../src/hosting/team-repositories/actions.ts';
import { TRANSFER } from '../../src/hosting/transfers/actions.ts';
import { ACCOUNT, SITE } from '../../src/people/accounts/actions.ts';
import { AUDIT } from '../../src/people/audit/actions.ts';
import { AVATAR } from '../../src/people/avatars/actions.ts';
import { BLOCK } from '../../src/people/blocks/actions.ts';
import { FOLLOW } from '../../src/people/follows/actions.ts';
import { ORGANIZATION, SITE_ORGANIZATIONS } from '../../src/people/organizations/actions.ts';
import { TEAM } from '../../src/people/teams/actions.ts';
import { TOKEN } from '../../src/people/tokens/actions.ts';
import { MAIL } from '../../src/tracker/mail/actions.ts';
import { WEBHOOK } from '../../src/tracker/webhooks/actions.ts';
import type { FeatureProbes, Probe } from '../api/access/probe.ts';

type Also = Partial<Omit<Probe, 'label' | 'method' | 'url' | 'action'>>;

const MISSING = { isOfMissing: true } as const;

function page(label: string, url: string, action: Action, also: Also = {}): Probe {
  return { label: `page of ${label}`, method: 'GET', url, action, ...also };
}

function form(label: string, url: string, action: Action, also: Also = {}): Probe {
  return { label: `form: ${label}`, method: 'POST', url, action, ...also };
}

/** Fields of a form. */
function sent(fields: Readonly<Record<string, string>>): Pick<Probe, 'sent'> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { sent: { body: new URLSearchParams(fields).toString(), headers } };
}

function hookProbes(base: string, read: Action, change: Action): readonly Probe[] {
  return [
    page('webhooks', `${base}/hooks`, read),
    page('a new webhook', `${base}/hooks/new`, change),
    form('add a webhook', `${base}/hooks/new`, change),
    page('a webhook', `${base}/hooks/:id`, read, MISSING),
    form('change a webhook', `${base}/hooks/:id`, change, MISSING),
  ];
}

const IN_REPOSITORY = '/:owner/:repo';
const OF_REPOSITORY = `${IN_REPOSITORY}/settings`;
const OF_ORGANIZATION = '/org/:org/settings';
const OWN = '/user/settings';
const ADMIN = '/-/admin';
const ADA = { filled: { ':username': 'ada' } };
const NOBODY = { filled: { ':username': 'absent' }, ...MISSING };
const ONE_TEAM = { filled: { ':id': 'TEAM' } };

/** The pages of people, settings and administration. Forms are sent without their fields, so they change little. */
export const PEOPLE_PROBES: Required<Pick<FeatureProbes, 'repository' | 'organization' | 'others' | 'open'>> =
  {
    repository: [
      page('a fork', `${IN_REPOSITORY}/fork`, REPOSITORY.fork),
      form('fork', `${IN_REPOSITORY}/fork`, REPOSITORY.fork, sent({ name: 'not a name' })),
      form('star', `${IN_REPOSITORY}/action/star`, STAR.change),
      form('unstar', `${IN_REPOSITORY}/action/unstar`, STAR.change),
      form('watch', `${IN_REPOSITORY}/action/watch`, WATCH.change),
      form('unwatch', `${IN_REPOSITORY}/action/unwatch`, WATCH.change),
      page('the settings', OF_REPOSITORY, REPOSITORY.edit),
      form('change the settings', OF_REPOSITORY, REPOSITORY.edit),
      form('transfer', `${OF_REPOSITORY}/transfer`, TRANSFER.transfer),
      form('cancel a transfer', `${OF_REPOSITORY}/transfer/cancel`, TRANSFER.answerTransfer, MISSING),
      form('update a mirror', `${OF_REPOSITORY}/mirror-sync`, MIRROR.sync),
      form('delete the repository', `${OF_REPOSITORY}/delete`, REPOSITORY.delete),
      page('the settings after a proof', `${OF_REPOSITORY}/delete`, REPOSITORY.edit),
      page('collaborators', `${OF_REPOSITORY}/collaboration`, COLLABORATOR.change),
      form('change a collaborator', `${OF_REPOSITORY}/collaboration`, COLLABORATOR.change),
      form('change a team', `${OF_REPOSITORY}/collaboration/teams`, REPOSITORY_TEAMS.changeTeams),
      page('deploy keys', `${OF_REPOSITORY}/keys`, DEPLOY_KEY.read),
      form('change deploy keys', `${OF_REPOSITORY}/keys`, DEPLOY_KEY.change),
      page('protected branches', `${OF_REPOSITORY}/branches`, PROTECTION.read),
      form('end a rule of branches', `${OF_REPOSITORY}/branches`, PROTECTION.change),
      page('a rule of branches', `${OF_REPOSITORY}/branches/edit`, PROTECTION.change),
      form('change a rule of branches', `${OF_REPOSITORY}/branches/edit`, PROTECTION.change),
      page('protected tags', `${OF_REPOSITORY}/tags`, PROTECTION.read),
      form('change protected tags', `${OF_REPOSITORY}/tags`, PROTECTION.change),
      ...hookProbes(OF_REPOSITORY, WEBHOOK.read, WEBHOOK.change),
    ],
    organization: [
      page('the settings', OF_ORGANIZATION, ORGANIZATION.edit),
      form('change the settings', OF_ORGANIZATION, ORGANIZATION.edit, sent({ visibility: 'odd' })),
      page('the settings after a proof', `${OF_ORGANIZATION}/delete`, ORGANIZATION.edit),
      form('delete the organization', `${OF_ORGANIZATION}/delete`, ORGANIZATION.delete),
      page('members', `${OF_ORGANIZATION}/members`, ORGANIZATION.removeMember),
      form('remove a member', `${OF_ORGANIZATION}/members`, ORGANIZATION.removeMember, MISSING),
      page('teams', `${OF_ORGANIZATION}/teams`, TEAM.create),
      form('create a team', `${OF_ORGANIZATION}/teams`, TEAM.create),
      page('a team', `${OF_ORGANIZATION}/teams/:id`, TEAM.edit, ONE_TEAM),
      form('change a team', `${OF_ORGANIZATION}/teams/:id`, TEAM.edit, ONE_TEAM),
      form('change members of a team', `${OF_ORGANIZATION}/teams/:id/members`, TEAM.changeMembers, ONE_TEAM),
      form('delete a team', `${OF_ORGANIZATION}/teams/:id/delete`, TEAM.delete, MISSING),
      ...hookProbes(OF_ORGANIZATION, WEBHOOK.readOfOrganization, WEBHOOK.changeOfOrganization),
    ],
    others: [
      page('found repositories', '/explore/repos', REPOSITORY_SEARCH.search),
      page('found users', '/explore/users', ACCOUNT.search),
      page('found organizations', '/explore/organizations', ORGANIZATION.list),
      form('unfollow', '/:owner', FOLLOW.change, {
        filled: { ':owner': 'ada' },
        ...sent({ action: 'unfollow' }),
      }),
      page('a new repository', '/repo/create', ACCOUNT_REPOSITORIES.createRepository),
      form('create a repository', '/repo/create', ACCOUNT_REPOSITORIES.createRepository),
      page('a copy', '/repo/migrate', MIGRATION.migrate),
      form('copy a repository', '/repo/migrate', MIGRATION.migrate),
      page('a new organization', '/org/create', ORGANIZATION.create),
      form('create an organization', '/org/create', ORGANIZATION.create),
      form('change the own profile', OWN, ACCOUNT.changeSelf),
      form('upload an own picture', `${OWN}/avatar`, AVATAR.change),
      form('remove the own picture', `${OWN}/avatar/delete`, AVATAR.change),
      page('own tokens', `${OWN}/tokens`, TOKEN.list),
      form('delete an own token', `${OWN}/tokens`, TOKEN.delete),
      page('a new token', `${OWN}/tokens/new`, TOKEN.create),
      form('create a token', `${OWN}/tokens/new`, TOKEN.create),
      page('own keys', `${OWN}/keys`, KEY.read),
      form('change own keys', `${OWN}/keys`, KEY.change),
      page('own mail', `${OWN}/notifications`, MAIL.readSettings),
      form('change own mail', `${OWN}/notifications`, MAIL.changeSettings),
      page('blocked users', `${OWN}/blocked_users`, BLOCK.read),
      form('block a user', `${OWN}/blocked_users`, BLOCK.change),
      page('the administration', ADMIN, SITE.listAccounts),
      page('all users', `${ADMIN}/users`, SITE.listAccounts),
      page('a new user', `${ADMIN}/users/new`, SITE.createAccount),
      form('create a user', `${ADMIN}/users/new`, SITE.createAccount),
      page('a user', `${ADMIN}/users/:username/edit`, SITE.listAccounts, ADA),
      form('change a user', `${ADMIN}/users/:username/edit`, SITE.editAccount, NOBODY),
      page('a user after a proof', `${ADMIN}/users/:username/delete`, SITE.listAccounts, ADA),
      form('delete a user', `${ADMIN}/users/:username/delete`, SITE.deleteAccount, NOBODY),
      page('all organizations', `${ADMIN}/orgs`, SITE_ORGANIZATIONS.listOrganizations),
      page('recurring work', `${ADMIN}/cron`, CRON.list),
      form('run recurring work', `${ADMIN}/cron`, CRON.run),
      page('the audit log', `${ADMIN}/audit`, AUDIT.readSite),
      page('the configuration', `${ADMIN}/config`, AUDIT.readSite),
    ],
    open: ['GET /-/help'],
  };
