import { Followers } from '../base/events/followers.ts';
import { protectionRule } from '../code/protection/examine.ts';
import { lfsRules } from '../hosting/lfs/push-rule.ts';
import { quotaRule, requireRoomForFork, requireRoomToPublish } from '../hosting/quota/push-rule.ts';
import { subtractAccountFromCounts } from '../hosting/repositories/writes.ts';
import { removeStarsOfBlocked, removeStarsOfPrivate } from '../hosting/stars/stars.ts';
import {
  removeWatchesOfBlocked,
  removeWatchesWithoutAccess,
  watchCreated,
} from '../hosting/stars/watching.ts';
import { subtractFollowsOf, subtractStarsOf } from '../people/accounts/writes.ts';
import { endFollowsBetween } from '../people/follows/service.ts';
import { findMaintained } from '../tracker/pulls/heads/maintained.ts';
import type { Services } from './features.ts';

/**
 * Subscribes the listeners of every signal: all effects that a change has on other features. Listeners run in this
 * order, in the transaction of the change. If one throws, the change is undone. Also adds the rules of features about
 * pushes, which decide in this order, and what features do with pushes of git clients.
 */
export function subscribeListeners(services: Services): void {
  const { accounts, organizations, teams, repositories, templateRepositories, transfers, pushes } = services;
  const {
    avatarFiles,
    blocks,
    quota,
    topics,
    labels,
    maintenance,
    languageJobs,
    lastCommitJobs,
    storedArchives,
    deployKeys,
    objectLinks,
    notebookPushIndex,
    commitReferences,
    attachmentCollection,
    deviceSignIn,
    sessions,
    accountLinks,
    recovery,
    externalIdentities,
    emailChanges,
    secondFactors,
    oauthGrants,
    resumableUploads,
    mirrorRecords,
    repositoryCopies,
    repositoryImports,
    issueStaging,
    pushMirrorSync,
    headFollower,
    pullStaging,
    issues,
    pulls,
    statuses,
    scheduledMerges,
    pullProposals,
    pullRemarks,
    transport,
    reviews,
    codeOwners,
    notificationDelivery,
    mailSending,
    releaseTags,
    releaseAssetCollection,
    releaseDownloads,
    attachmentDownloads,
    archives,
    wikiPushes,
    defaultHooks,
  } = services;

  accounts.userLeaving.subscribe(
    // Organizations that only this user owns are deleted before the user's own repositories.
    (tx, removal) => teams.members.leaveEverywhere(tx, removal),
    async (tx, { account, actorId, purge }) => {
      if (purge) await repositories.deletion.removeAllOf(tx, account, { actorId });
    },
    (tx, { account }) => subtractAccountFromCounts(tx, account.id),
    (tx, { account }) => subtractFollowsOf(tx, account.id),
    (tx, { account }) => avatarFiles.release(tx, { accountId: account.id }),
    (tx, { account }) => reviews.beforeUserLeaves(tx, account.id),
    (tx, { account, actorId }) => transfers.endAllOf(tx, account, actorId),
  );

  secondFactors.lost.subscribe((tx, lost) => organizations.members.keepFactorOfMember(tx, lost));

  blocks.set.subscribe(
    endFollowsBetween,
    (tx, block) => repositories.collaborators.removeBlocked(tx, block),
    removeStarsOfBlocked,
    removeWatchesOfBlocked,
    (tx, block) => transfers.endBetween(tx, block),
  );

  accounts.visibilityChanged.subscribe((tx, { accountId, actorId }) =>
    repositories.settings.tightenForks(tx, { ownerId: accountId }, { actorId }),
  );

  accounts.signInsEnded.subscribe(
    (tx, { accountId }) => deviceSignIn.endGranted(tx, accountId),
    (tx, { accountId }) => sessions.endAll(tx, accountId, { actorId: null }),
    (tx, end) => recovery.reportPasswordChange(tx, end),
    (tx, { accountId }) => oauthGrants.endAll(tx, { accountId, actorId: null }),
    async (tx, { accountId, isDisabled }) => {
      if (isDisabled) await resumableUploads.endAllOf(tx, accountId);
    },
  );

  sessions.endedByAdministrator.subscribe(
    (tx, { accountId }) => deviceSignIn.endGranted(tx, accountId),
    (tx, ended) => oauthGrants.endAll(tx, ended),
  );

  emailChanges.undone.subscribe(
    (tx, taken) => secondFactors.removeSince(tx, taken),
    (tx, taken) => externalIdentities.removeSince(tx, taken),
  );

  accounts.emails.added.subscribe((tx, added) => emailChanges.afterAdding(tx, added));
  accounts.ownerSet.subscribe((tx, { accountId }) => accountLinks.endUndos(tx, accountId));

  notificationDelivery.notified.subscribe((tx, notified) => mailSending.take(tx, notified));

  accounts.userRenamed.subscribe((tx, rename) => pullProposals.afterRename(tx, rename));

  organizations.created.subscribe((tx, created) => teams.createOwners(tx, created));
  organizations.purged.subscribe((tx, { organization, actorId }) =>
    repositories.deletion.removeAllOf(tx, organization, { actorId }),
  );
  organizations.removed.subscribe(
    (tx, { organization }) => subtractFollowsOf(tx, organization.id),
    (tx, { organization }) => avatarFiles.release(tx, { accountId: organization.id }),
    (tx, { organization, actorId }) => transfers.endAllOf(tx, organization, actorId),
  );
  organizations.members.leaving.subscribe((tx, leaving) => teams.members.leaveAll(tx, leaving));

  repositories.creation.created.subscribe(
    (tx, created) => requireRoomForFork(tx, quota, created),
    watchCreated,
    (tx, created) => labels.addFirst(tx, created),
    (tx, created) => objectLinks.afterCreation(tx, created),
    (tx, created) => maintenance.afterCreation(tx, created),
    (tx, created) => languageJobs.afterCreation(tx, created),
    (tx, created) => lastCommitJobs.afterCreation(tx, created),
    (tx, created) => defaultHooks.copy(tx, created),
  );
  repositories.creation.abandoned.subscribe(
    (tx, id) => issueStaging.release(tx, id),
    (tx, id) => pullStaging.release(tx, id),
  );
  repositoryCopies.copying.subscribe((copying) => repositoryImports.stage(copying));
  templateRepositories.generated.subscribe(
    (tx, generated) => topics.copy(tx, generated),
    (tx, generated) => labels.copy(tx, generated),
  );
  // Counts are updated while the rows that they count still exist.
  repositories.deletion.deleted.subscribe(
    (tx, id) => subtractStarsOf(tx, [id]),
    (tx, id) => topics.uncount(tx, id),
    (tx, id) => storedArchives.removeAllOf(tx, id),
    (tx, id) => deployKeys.removeAllOf(tx, id),
    (tx, id) => objectLinks.release(tx, id),
    (tx, id) => attachmentCollection.release(tx, { repositoryId: id }),
    (tx, id) => releaseAssetCollection.release(tx, { repositoryId: id }),
    (tx, id) => headFollower.whenForkDeleted(tx, id),
    (tx, id) => avatarFiles.release(tx, { repositoryId: id }),
  );
  repositories.settings.visibilityChanged.subscribe(
    (tx, change) => requireRoomToPublish(tx, quota, change),
    removeStarsOfPrivate,
    removeWatchesWithoutAccess,
  );
  repositories.settings.mirrorChanged.subscribe((tx, id, change) => mirrorRecords.change(tx, id, change));
  repositories.settings.defaultBranchChanged.subscribe((tx, id) => languageJobs.enqueue(tx, id));
  repositories.collaborators.removed.subscribe((tx, { repositoryId }) =>
    removeWatchesWithoutAccess(tx, { repositoryIds: [repositoryId] }),
  );

  issues.pullStateChanging.subscribe((recording, state, change) =>
    pulls.beforeStateChange(recording, state, change),
  );

  issues.pullDeleting.subscribe((tx, state) => headFollower.whenDeleted(tx, state));
  issues.pullReady.subscribe(({ tx }, { id }) => codeOwners.enqueue(tx, id));
  statuses.created.subscribe((tx, { repository, commit }) =>
    scheduledMerges.whenStatusChanges(tx, repository.id, commit),
  );

  // These rules read rows and objects, so they come after the rules of repositories, which take no time.
  pushes.addRules(protectionRule(services), quotaRule(quota), ...lfsRules(services));
  pushes.addFollower((tx, change) => headFollower.afterPush(tx, change));
  pushes.findMaintainedWith((db, viewer, { repositoryId, names }) =>
    findMaintained(repositories, { db, viewer, repositoryId }, names),
  );
  transport.registerProposals(pullProposals);
  transport.addRemarks((push) => pullRemarks.about(push));
  pushes.refsMoving.subscribe(
    (session, _updates, moving) => lastCommitJobs.beforePush(session, moving),
    (session, updates, moving) => notebookPushIndex.beforePush(session, updates, moving),
    (session, updates, moving) => commitReferences.beforePush(session, updates, moving),
  );
  attachmentDownloads.findElsewhereWith((viewer, uuid) => releaseDownloads.findAddress(viewer, uuid));
  archives.downloaded.subscribe((location) => releaseDownloads.countArchive(location));
  pushes.objectsStored.subscribe((tx, id) => maintenance.afterObjects(tx, id));
  pushes.refsChanged.subscribe(
    (tx, change) => maintenance.afterPush(tx, change),
    (tx, change) => languageJobs.afterPush(tx, change),
    (tx, change) => lastCommitJobs.afterPush(tx, change),
    (tx, change) => pushMirrorSync.afterPush(tx, change),
    (tx, change) => releaseTags.afterPush(tx, change),
  );
  wikiPushes.addRules(quotaRule(quota, () => 'size:assets:wiki'));
  // A wiki has no languages, issues, notes, pull requests or push mirrors, so only its objects have effects.
  wikiPushes.refsMoving.subscribe((session, _updates, moving) => lastCommitJobs.beforePush(session, moving));
  wikiPushes.refsChanged.subscribe(
    (tx, change) => maintenance.afterPush(tx, change),
    (tx, change) => lastCommitJobs.afterPush(tx, change),
  );
}

/** Returns the features that read the event log. */
export function followersOf(services: Services): Followers {
  const { notificationDelivery, activityRecorder, webhookWaking } = services;
  return new Followers([notificationDelivery, activityRecorder, webhookWaking]);
}
