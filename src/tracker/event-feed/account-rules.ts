import { KEY } from '../../code/keys/actions.ts';
import {
  OPENPGP_KEY_CREATED,
  OPENPGP_KEY_DELETED,
  OPENPGP_KEY_PROVED,
  SSH_KEY_CREATED,
  SSH_KEY_DELETED,
} from '../../code/keys/events.ts';
import { ADOPTION } from '../../hosting/adoption/actions.ts';
import { UNADOPTED_DELETED } from '../../hosting/adoption/events.ts';
import { FLAG } from '../../hosting/flags/actions.ts';
import { REPOSITORY_FLAGS_CHANGED } from '../../hosting/flags/events.ts';
import { QUOTA } from '../../hosting/quota/actions.ts';
import { QUOTA_GROUP_CHANGED, QUOTA_MEMBER_CHANGED, QUOTA_RULE_CHANGED } from '../../hosting/quota/events.ts';
import { ACCOUNT, SITE } from '../../people/accounts/actions.ts';
import {
  ACCOUNT_CHANGED,
  ACCOUNT_CREATED,
  ACCOUNT_DELETED,
  ACCOUNT_RENAMED,
  ACCOUNT_VISIBILITY_CHANGED,
} from '../../people/accounts/events.ts';
import { BLOCK } from '../../people/blocks/actions.ts';
import {
  ACCOUNT_BLOCKED,
  ACCOUNT_UNBLOCKED,
  ORGANIZATION_BLOCKED,
  ORGANIZATION_UNBLOCKED,
} from '../../people/blocks/events.ts';
import { EXTERNAL } from '../../people/external/actions.ts';
import { IDENTITY_LINKED, IDENTITY_UNLINKED } from '../../people/external/events.ts';
import { ACCOUNT_FOLLOWED, ACCOUNT_UNFOLLOWED } from '../../people/follows/events.ts';
import { SITE_APPLICATION } from '../../people/oauth/actions.ts';
import {
  OAUTH_APPLICATION_CHANGED,
  OAUTH_APPLICATION_CREATED,
  OAUTH_APPLICATION_DELETED,
} from '../../people/oauth/events.ts';
import {
  OAUTH_GRANT_ENDED,
  OAUTH_GRANT_STARTED,
  OAUTH_GRANTS_ENDED,
} from '../../people/oauth-grants/events.ts';
import { ORGANIZATION } from '../../people/organizations/actions.ts';
import {
  ORGANIZATION_CHANGED,
  ORGANIZATION_CREATED,
  ORGANIZATION_DELETED,
  ORGANIZATION_MEMBER_ADDED,
  ORGANIZATION_MEMBER_REMOVED,
  ORGANIZATION_MEMBERSHIP_SHOWN,
  ORGANIZATION_RENAMED,
  ORGANIZATION_VISIBILITY_CHANGED,
} from '../../people/organizations/events.ts';
import { RESET_LINK_CREATED } from '../../people/recovery/events.ts';
import { SECOND_FACTOR } from '../../people/second-factor/actions.ts';
import * as secondFactors from '../../people/second-factor/events.ts';
import { SESSION } from '../../people/sessions/actions.ts';
import { SESSION_ENDED, SESSION_STARTED, SESSIONS_ENDED } from '../../people/sessions/events.ts';
import { INVITATION } from '../../people/sign-up/actions.ts';
import { INVITATION_CREATED, INVITATION_DELETED } from '../../people/sign-up/events.ts';
import { TEAM } from '../../people/teams/actions.ts';
import {
  TEAM_CHANGED,
  TEAM_CREATED,
  TEAM_DELETED,
  TEAM_MEMBER_ADDED,
  TEAM_MEMBER_REMOVED,
  TEAM_REPOSITORY_ADDED,
  TEAM_REPOSITORY_REMOVED,
} from '../../people/teams/events.ts';
import { TOKEN } from '../../people/tokens/actions.ts';
import { TOKEN_CREATED, TOKEN_DELETED, TOKENS_DELETED } from '../../people/tokens/events.ts';
import { WEBHOOK } from '../webhooks/actions.ts';
import { WEBHOOK_EVENTS } from '../webhooks/events.ts';
import { ACCOUNT_ID, FROM_TO, type Rules, ruled } from './rule.ts';

const visitors = { on: 'organization', action: ORGANIZATION.read } as const;
const members = { on: 'organization', action: TEAM.list } as const;
const SHOWN_TEAM = { organizationId: {}, teamId: {} } as const;
const FOLLOW = { ...ACCOUNT_ID, followedId: { as: 'followed', isPerson: true } } as const;
const BLOCKED = { blockedId: { as: 'blocked', isPerson: true } } as const;
const self = { on: 'account', action: ACCOUNT.readSelf } as const;

/** Rules of events about accounts, organizations and teams, and of those for site administrators. */
export const ACCOUNT_RULES: Rules = [
  ...ruled([ORGANIZATION_CREATED], { ...visitors, shown: { organizationId: {} } }),
  ...ruled([ORGANIZATION_CHANGED], { ...visitors, shown: { organizationId: {}, changed: {} } }),
  ...ruled([ORGANIZATION_RENAMED, ORGANIZATION_VISIBILITY_CHANGED], {
    ...visitors,
    shown: { organizationId: {}, ...FROM_TO },
  }),
  ...ruled([ORGANIZATION_MEMBER_ADDED, ORGANIZATION_MEMBER_REMOVED, ORGANIZATION_MEMBERSHIP_SHOWN], {
    ...members,
    shown: { organizationId: {}, ...ACCOUNT_ID, public: {} },
  }),
  ...ruled([TEAM_CREATED, TEAM_DELETED], { ...members, shown: { ...SHOWN_TEAM, name: {} } }),
  ...ruled([TEAM_CHANGED], { ...members, shown: { ...SHOWN_TEAM, changed: {} }, former: ['name'] }),
  ...ruled([TEAM_MEMBER_ADDED, TEAM_MEMBER_REMOVED], { ...members, shown: { ...SHOWN_TEAM, ...ACCOUNT_ID } }),
  ...ruled([TEAM_REPOSITORY_ADDED, TEAM_REPOSITORY_REMOVED], {
    ...members,
    needsRepository: true,
    shown: SHOWN_TEAM,
  }),
  ...ruled([ACCOUNT_CREATED], { ...self, shown: ACCOUNT_ID }),
  ...ruled([ACCOUNT_CHANGED], {
    ...self,
    shown: { ...ACCOUNT_ID, changed: {} },
    former: ['fullName', 'description', 'website', 'location', 'visibility', 'pronouns'],
  }),
  ...ruled([ACCOUNT_RENAMED, ACCOUNT_VISIBILITY_CHANGED], { ...self, shown: { ...ACCOUNT_ID, ...FROM_TO } }),
  ...ruled([RESET_LINK_CREATED], { ...self, shown: ACCOUNT_ID }),
  ...ruled([INVITATION_CREATED, INVITATION_DELETED], {
    on: 'site',
    action: INVITATION.list,
    shown: { invitationId: {} },
  }),
  ...ruled([ACCOUNT_FOLLOWED], { ...self, shown: FOLLOW, alsoFor: 'followedId' }),
  // A loss of a follower, and a block, are not shown to the other account.
  ...ruled([ACCOUNT_UNFOLLOWED], { ...self, shown: FOLLOW }),
  ...ruled([ACCOUNT_BLOCKED, ACCOUNT_UNBLOCKED], { ...self, shown: { ...ACCOUNT_ID, ...BLOCKED } }),
  ...ruled([ORGANIZATION_BLOCKED, ORGANIZATION_UNBLOCKED], {
    on: 'organization',
    action: BLOCK.readOf,
    shown: { organizationId: {}, ...BLOCKED },
  }),
  ...ruled([TOKEN_CREATED, TOKEN_DELETED, TOKENS_DELETED], {
    on: 'account',
    action: TOKEN.list,
    shown: { ...ACCOUNT_ID, tokenId: {}, tokenIds: {}, name: {}, scopes: {} },
  }),
  ...ruled([SESSION_STARTED, SESSION_ENDED, SESSIONS_ENDED], {
    on: 'account',
    action: SESSION.list,
    shown: { ...ACCOUNT_ID, sessionId: {}, exceptId: {}, proofs: {} },
  }),
  ...ruled(Object.values(secondFactors), {
    on: 'account',
    action: SECOND_FACTOR.read,
    shown: { ...ACCOUNT_ID, passkeyId: {}, name: {}, left: {} },
  }),
  ...ruled([IDENTITY_LINKED, IDENTITY_UNLINKED], {
    on: 'account',
    action: EXTERNAL.list,
    shown: { ...ACCOUNT_ID, identityId: {}, issuer: {} },
  }),
  ...ruled([OAUTH_GRANT_STARTED, OAUTH_GRANT_ENDED, OAUTH_GRANTS_ENDED], {
    ...self,
    shown: { ...ACCOUNT_ID, grantId: {}, applicationId: {}, scopes: {}, why: {} },
  }),
  // The owner may be a user, an organization or the site.
  ...ruled([OAUTH_APPLICATION_CREATED, OAUTH_APPLICATION_CHANGED, OAUTH_APPLICATION_DELETED], {
    on: 'site',
    action: SITE_APPLICATION.list,
    shown: { applicationId: {}, name: {}, hasNewSecret: {} },
  }),
  ...ruled([SSH_KEY_CREATED, SSH_KEY_DELETED, OPENPGP_KEY_CREATED, OPENPGP_KEY_PROVED, OPENPGP_KEY_DELETED], {
    on: 'account',
    action: KEY.read,
    shown: { ...ACCOUNT_ID, keyId: {}, fingerprint: {}, title: {}, isProved: {} },
  }),
  ...ruled(Object.values(WEBHOOK_EVENTS.organization), {
    on: 'organization',
    action: WEBHOOK.readOfOrganization,
    shown: { organizationId: {}, hookId: {}, reason: {} },
  }),
  ...ruled(Object.values(WEBHOOK_EVENTS.user), {
    on: 'account',
    action: WEBHOOK.readOwn,
    shown: { ...ACCOUNT_ID, hookId: {}, reason: {} },
  }),
  ...ruled(Object.values(WEBHOOK_EVENTS.site), {
    on: 'site',
    action: WEBHOOK.readOfSite,
    shown: { hookId: {}, reason: {} },
  }),
  ...ruled([ACCOUNT_DELETED, ORGANIZATION_DELETED], {
    on: 'site',
    action: SITE.listAccounts,
    shown: { accountId: {}, organizationId: {}, name: {} },
  }),
  ...ruled([QUOTA_RULE_CHANGED, QUOTA_GROUP_CHANGED, QUOTA_MEMBER_CHANGED], {
    on: 'site',
    action: QUOTA.read,
    shown: { ...ACCOUNT_ID, rule: {}, bytesMax: {}, subjects: {}, group: {}, isDeleted: {}, groups: {} },
  }),
  ...ruled([UNADOPTED_DELETED], {
    on: 'site',
    action: ADOPTION.list,
    shown: { owner: {}, name: {} },
  }),
  ...ruled([REPOSITORY_FLAGS_CHANGED], {
    on: 'site',
    action: FLAG.read,
    shown: { flags: {} },
    former: ['flags'],
  }),
];
