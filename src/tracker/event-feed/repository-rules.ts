import { BRANCH_RENAMED } from '../../code/branches/events.ts';
import { DEPLOY_KEY } from '../../code/keys/actions.ts';
import { DEPLOY_KEY_CREATED, DEPLOY_KEY_DELETED } from '../../code/keys/events.ts';
import { PROTECTION } from '../../code/protection/actions.ts';
import { PROTECTION_CHANGED, PROTECTION_CREATED, PROTECTION_DELETED } from '../../code/protection/events.ts';
import { PROTECTION_FIELDS } from '../../code/protection/model.ts';
import { STATUS } from '../../code/statuses/actions.ts';
import { STATUS_CREATED } from '../../code/statuses/events.ts';
import { LFS } from '../../hosting/lfs/actions.ts';
import { FILE_LOCKED, FILE_UNLOCKED } from '../../hosting/lfs/events.ts';
import { REPOSITORY_PURGED } from '../../hosting/maintenance/events.ts';
import { PUSH_MIRROR } from '../../hosting/push-mirrors/actions.ts';
import { PUSH_MIRROR_CREATED, PUSH_MIRROR_DELETED } from '../../hosting/push-mirrors/events.ts';
import { COLLABORATOR, REPOSITORY } from '../../hosting/repositories/actions.ts';
import {
  COLLABORATOR_CHANGED,
  COLLABORATOR_REMOVED,
  REFS_CHANGED,
  REPOSITORY_CHANGED,
  REPOSITORY_CREATED,
  REPOSITORY_DELETED,
  REPOSITORY_FORKED,
  REPOSITORY_RENAMED,
  REPOSITORY_VISIBILITY_CHANGED,
} from '../../hosting/repositories/events.ts';
import { STAR, WATCH } from '../../hosting/stars/actions.ts';
import {
  REPOSITORY_STARRED,
  REPOSITORY_UNSTARRED,
  REPOSITORY_UNWATCHED,
  REPOSITORY_WATCHED,
} from '../../hosting/stars/events.ts';
import { REPOSITORY_TOPICS_CHANGED } from '../../hosting/topics/events.ts';
import {
  REPOSITORY_TRANSFER_ASKED,
  REPOSITORY_TRANSFER_ENDED,
  REPOSITORY_TRANSFERRED,
} from '../../hosting/transfers/events.ts';
import { WIKI } from '../../hosting/wikis/actions.ts';
import {
  WIKI_PAGE_CREATED,
  WIKI_PAGE_DELETED,
  WIKI_PAGE_EDITED,
  WIKI_REFS_CHANGED,
} from '../../hosting/wikis/events.ts';
import { WEBHOOK } from '../webhooks/actions.ts';
import { WEBHOOK_EVENTS } from '../webhooks/events.ts';
import { ACCOUNT_ID, FROM_TO, PATHS, type Rules, ruled } from './rule.ts';

const readers = { on: 'repository', action: REPOSITORY.read } as const;
const shownAccount = { shown: ACCOUNT_ID, activityOf: 'accountId' } as const;
const collaborators = { on: 'repository', action: COLLABORATOR.list } as const;
/** What only administrators of a repository read. */
const administrators = { on: 'repository', action: PROTECTION.read } as const;
const codeReaders = { on: 'repository', action: REPOSITORY.fetch } as const;

const wikiReaders = { on: 'repository', action: WIKI.read, unit: 'wiki' } as const;

/** Rules of events about repositories, their code and their wikis. */
export const REPOSITORY_RULES: Rules = [
  ...ruled([REPOSITORY_CREATED], { ...readers, shown: { private: {} } }),
  ...ruled([REPOSITORY_RENAMED], { ...readers, shown: PATHS }),
  ...ruled([REPOSITORY_VISIBILITY_CHANGED], { ...readers, shown: FROM_TO }),
  ...ruled([REPOSITORY_CHANGED], {
    ...readers,
    shown: { changed: {} },
    former: ['isTemplate', 'archivedAt', 'defaultBranch'],
  }),
  ...ruled([REPOSITORY_TOPICS_CHANGED], { ...readers, shown: { topics: {} }, former: ['topics'] }),
  ...ruled([REPOSITORY_FORKED], { ...readers, shown: { forkId: { isRepository: true } } }),
  ...ruled([REPOSITORY_TRANSFERRED], {
    ...readers,
    shown: { fromId: { as: 'from', isPerson: true }, toId: { as: 'to', isPerson: true } },
  }),
  ...ruled([REPOSITORY_DELETED], { on: 'deleted-repository', shown: {} }),
  ...ruled([REPOSITORY_STARRED], { on: 'repository', action: STAR.list, ...shownAccount }),
  ...ruled([REPOSITORY_WATCHED], { on: 'repository', action: WATCH.list, ...shownAccount }),
  ...ruled([REPOSITORY_UNSTARRED, REPOSITORY_UNWATCHED], {
    ...readers,
    shown: ACCOUNT_ID,
    onlyFor: 'accountId',
  }),
  ...ruled([COLLABORATOR_CHANGED], {
    ...collaborators,
    shown: { ...ACCOUNT_ID, level: {} },
    former: ['level'],
  }),
  ...ruled([COLLABORATOR_REMOVED], { ...collaborators, shown: ACCOUNT_ID, former: ['level'] }),
  ...ruled([REPOSITORY_TRANSFER_ASKED], {
    ...administrators,
    shown: { recipientId: { as: 'recipient', isPerson: true } },
  }),
  ...ruled([REPOSITORY_TRANSFER_ENDED], { ...administrators, shown: {} }),
  ...ruled([REPOSITORY_PURGED], { ...administrators, shown: { objects: {}, bytes: {} } }),
  ...ruled([PROTECTION_CREATED, PROTECTION_CHANGED, PROTECTION_DELETED], {
    ...administrators,
    shown: { protects: {}, pattern: {}, from: {}, changed: {} },
    former: PROTECTION_FIELDS,
  }),
  ...ruled([DEPLOY_KEY_CREATED, DEPLOY_KEY_DELETED], {
    on: 'repository',
    action: DEPLOY_KEY.read,
    shown: { deployKeyId: {}, fingerprint: {}, isReadOnly: {}, title: {} },
  }),
  ...ruled([PUSH_MIRROR_CREATED, PUSH_MIRROR_DELETED], {
    on: 'repository',
    action: PUSH_MIRROR.read,
    shown: { name: {}, address: {} },
  }),
  ...ruled([REFS_CHANGED], { ...codeReaders, shown: { updates: {}, via: {}, ofCreation: {} } }),
  ...ruled(Object.values(WEBHOOK_EVENTS.repository), {
    on: 'repository',
    action: WEBHOOK.read,
    shown: { hookId: {}, reason: {} },
  }),
  ...ruled([WIKI_REFS_CHANGED], { ...wikiReaders, shown: { updates: {}, via: {} } }),
  ...ruled([WIKI_PAGE_CREATED, WIKI_PAGE_EDITED, WIKI_PAGE_DELETED], {
    ...wikiReaders,
    shown: { page: {}, address: {}, comment: {}, commit: {} },
    former: ['page'],
  }),
  ...ruled([BRANCH_RENAMED], { ...codeReaders, shown: FROM_TO }),
  ...ruled([STATUS_CREATED], {
    on: 'repository',
    action: STATUS.list,
    shown: { commit: {}, context: {}, state: {} },
  }),
  ...ruled([FILE_LOCKED, FILE_UNLOCKED], {
    on: 'repository',
    action: LFS.listLocks,
    shown: { lockId: {}, path: {}, ownerId: { as: 'owner', isPerson: true }, forced: {} },
  }),
];
