import { foundation } from './0001-foundation.ts';
import { jobs } from './0002-jobs.ts';
import { lastCommits } from './0003-last-commits.ts';
import { notes } from './0004-notes.ts';
import { organizations } from './0005-organizations.ts';
import { repositoryRecords } from './0006-repository-records.ts';
import { repositorySearch } from './0007-repository-search.ts';
import { languageMeasurements } from './0008-language-measurements.ts';
import { changeIndexes } from './0009-change-indexes.ts';
import { compactedRefs } from './0010-compacted-refs.ts';
import { commitStatuses } from './0011-commit-statuses.ts';
import { archives } from './0012-archives.ts';
import { protections } from './0013-protections.ts';
import { indexedMerges } from './0014-indexed-merges.ts';
import { sshKeys } from './0015-ssh-keys.ts';
import { largeFiles } from './0016-large-files.ts';
import { openPgpKeys } from './0017-openpgp-keys.ts';
import { noteVersions } from './0018-note-versions.ts';
import { forcePushes } from './0019-force-pushes.ts';
import { noteSuffixes } from './0020-note-suffixes.ts';
import { signInRequests } from './0021-sign-in-requests.ts';
import { noteSearch } from './0022-note-search.ts';
import { appPasswordsForNotes } from './0023-app-passwords-for-notes.ts';
import { deletedNotes } from './0024-deleted-notes.ts';
import { labels } from './0025-labels.ts';
import { milestones } from './0026-milestones.ts';
import { issues } from './0027-issues.ts';
import { issueSubscriptions } from './0028-issue-subscriptions.ts';
import { issueDependencies } from './0029-issue-dependencies.ts';
import { issueTexts } from './0030-issue-texts.ts';
import { notifications } from './0031-notifications.ts';
import { issueReactions } from './0032-issue-reactions.ts';
import { issueTimes } from './0033-issue-times.ts';
import { mirrors } from './0034-mirrors.ts';
import { issueAttachments } from './0035-issue-attachments.ts';
import { commentCounts } from './0036-comment-counts.ts';
import { repositoryFlags } from './0037-repository-flags.ts';
import { freshObjects } from './0038-fresh-objects.ts';
import { issueSearch } from './0039-issue-search.ts';
import { issueImports } from './0040-issue-imports.ts';
import { timesOfIssueLinks } from './0041-times-of-issue-links.ts';
import { pushMirrors } from './0042-push-mirrors.ts';
import { noteImports } from './0043-note-imports.ts';
import { repositoryMigrations } from './0044-repository-migrations.ts';
import { searchChanges } from './0045-search-changes.ts';
import { newestTextsFirst } from './0046-newest-texts-first.ts';
import { timesOfEntries } from './0047-times-of-entries.ts';
import { timesInIssueOrders } from './0048-times-in-issue-orders.ts';
import { ordersOfIssueLinks } from './0049-orders-of-issue-links.ts';
import { unprovedEmails } from './0050-unproved-emails.ts';
import { provedSshKeys } from './0051-proved-ssh-keys.ts';
import { teamAdministrators } from './0052-team-administrators.ts';
import { oneIndexOfWords } from './0053-one-index-of-words.ts';
import { pulls } from './0054-pulls.ts';
import { beginningsOfWords } from './0055-beginnings-of-words.ts';
import { pullImports } from './0056-pull-imports.ts';
import { readersOfEvents } from './0057-readers-of-events.ts';
import { wordsOfReviews } from './0058-words-of-reviews.ts';
import { orderOfClosing } from './0059-order-of-closing.ts';
import { mail } from './0060-mail.ts';
import { releases } from './0061-releases.ts';
import { followsAndBlocks } from './0062-follows-and-blocks.ts';
import { avatars } from './0063-avatars.ts';
import { wikis } from './0064-wikis.ts';
import { activities } from './0065-activities.ts';
import { runsOfRecurringJobs } from './0066-runs-of-recurring-jobs.ts';
import { quotas } from './0067-quotas.ts';
import { webhooks } from './0068-webhooks.ts';
import { sessions } from './0069-sessions.ts';
import { stoppedWebhooks } from './0070-stopped-webhooks.ts';
import { formerOwners } from './0071-former-owners.ts';
import { audit } from './0072-audit.ts';
import { endsOfTokens } from './0073-ends-of-tokens.ts';
import { accountLinks } from './0074-account-links.ts';
import { sshHostKeys } from './0075-ssh-host-keys.ts';
import { secondFactors } from './0076-second-factors.ts';
import { externalSignIn } from './0077-external-sign-in.ts';
import { oauth } from './0078-oauth.ts';
import { whoAddedDeployKeys } from './0079-who-added-deploy-keys.ts';
import type { Migration } from './migration.ts';

/** All migrations in order. A migration's number is its position, counted from 1. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  jobs,
  lastCommits,
  notes,
  organizations,
  repositoryRecords,
  repositorySearch,
  languageMeasurements,
  changeIndexes,
  compactedRefs,
  commitStatuses,
  archives,
  protections,
  indexedMerges,
  sshKeys,
  largeFiles,
  openPgpKeys,
  noteVersions,
  forcePushes,
  noteSuffixes,
  signInRequests,
  noteSearch,
  appPasswordsForNotes,
  deletedNotes,
  labels,
  milestones,
  issues,
  issueSubscriptions,
  issueDependencies,
  issueTexts,
  notifications,
  issueReactions,
  issueTimes,
  mirrors,
  issueAttachments,
  commentCounts,
  repositoryFlags,
  freshObjects,
  issueSearch,
  issueImports,
  timesOfIssueLinks,
  pushMirrors,
  noteImports,
  repositoryMigrations,
  searchChanges,
  newestTextsFirst,
  timesOfEntries,
  timesInIssueOrders,
  ordersOfIssueLinks,
  unprovedEmails,
  provedSshKeys,
  teamAdministrators,
  oneIndexOfWords,
  pulls,
  beginningsOfWords,
  pullImports,
  readersOfEvents,
  wordsOfReviews,
  orderOfClosing,
  mail,
  releases,
  followsAndBlocks,
  avatars,
  wikis,
  activities,
  runsOfRecurringJobs,
  quotas,
  webhooks,
  sessions,
  stoppedWebhooks,
  formerOwners,
  audit,
  endsOfTokens,
  accountLinks,
  sshHostKeys,
  secondFactors,
  externalSignIn,
  oauth,
  whoAddedDeployKeys,
];
