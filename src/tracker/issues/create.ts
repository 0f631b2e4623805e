import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { FileSender } from '../../code/object-downloads/file-sender.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Quota } from '../../hosting/quota/service.ts';
import type { QuotaUsage } from '../../hosting/quota/usage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { OwnedFiles } from '../../storage/owned-files/service.ts';
import { AttachmentCollection } from './attachments/collection.ts';
import { attachmentDownloadRoutes } from './attachments/download-routes.ts';
import { AttachmentDownloads } from './attachments/downloads.ts';
import { AttachmentIntake } from './attachments/intake.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { IssueAttachments } from './attachments/service.ts';
import { commentRoutes } from './discussion/comments/routes.ts';
import { Comments } from './discussion/comments/service.ts';
import { reactionRoutes } from './discussion/reactions/routes.ts';
import { Reactions } from './discussion/reactions/service.ts';
import { CommitReferences } from './discussion/references/commits.ts';
import { subscriptionRoutes } from './discussion/subscriptions/routes.ts';
import { Subscriptions } from './discussion/subscriptions/service.ts';
import { timelineRoutes } from './discussion/timeline/routes.ts';
import { Timelines } from './discussion/timeline/service.ts';
import { dependencyRoutes } from './planning/dependencies/routes.ts';
import { Dependencies } from './planning/dependencies/service.ts';
import { issueLabelRoutes } from './planning/labels/routes.ts';
import { IssueLabels } from './planning/labels/service.ts';
import { markRoutes } from './planning/marks/routes.ts';
import { IssueMarks } from './planning/marks/service.ts';
import { timeRoutes } from './planning/times/routes.ts';
import { Times } from './planning/times/service.ts';
import { Stopwatches } from './planning/times/stopwatches.ts';
import { issueRoutes } from './routes.ts';
import { Issues } from './service.ts';
import { IssueStaging } from './staging/service.ts';
import { ATTACHMENT_ROWS, sumOfAttachments } from './store/attachments.ts';
import { ATTACHMENTS_OF_OWNER } from './store/counted-attachments.ts';

interface Given {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly fileSender: FileSender;
  readonly quota: Quota;
  readonly quotaUsage: QuotaUsage;
}

export function createIssues(given: Given) {
  const { addresses } = given;
  given.quota.count('size:assets:attachments:issues', sumOfAttachments);
  given.quotaUsage.addAttachments(ATTACHMENTS_OF_OWNER);
  const attachmentFiles = new OwnedFiles(given, ATTACHMENT_ROWS);
  const attachmentCollection = new AttachmentCollection({ attachmentFiles });
  const issues = new Issues({ ...given, attachmentCollection });
  const { access, texts, pullStateChanging } = issues;
  const parts = { ...given, attachmentCollection, access, texts, pullStateChanging };
  const subscriptions = new Subscriptions(parts);
  const comments = new Comments(parts);
  const timelines = new Timelines(parts);
  const labels = new IssueLabels(parts);
  const reactions = new Reactions(parts);
  const attachments = new IssueAttachments(parts);
  const attachmentIntake = new AttachmentIntake({ ...parts, attachmentFiles });
  const attachmentDownloads = new AttachmentDownloads(given);
  const marks = new IssueMarks({ ...parts, issues });
  const dependencies = new Dependencies(parts);
  const times = new Times(parts);
  const stopwatches = new Stopwatches(parts);
  const commitReferences = new CommitReferences(parts);
  const issueStaging = new IssueStaging(given);
  return {
    services: {
      issues,
      comments,
      marks,
      timelines,
      issueLabels: labels,
      reactions,
      attachments,
      attachmentIntake,
      dependencies,
      times,
      stopwatches,
      commitReferences,
      issueStaging,
      attachmentCollection,
      attachmentDownloads,
      attachmentFiles,
      subscriptions,
    },
    routes: {
      api: (app: App) => {
        issueRoutes(app, { issues, addresses });
        commentRoutes(app, { comments, addresses });
        timelineRoutes(app, { timelines, addresses });
        issueLabelRoutes(app, { labels, addresses });
        reactionRoutes(app, { reactions, addresses });
        attachmentRoutes(app, { attachments, attachmentIntake, addresses });
        markRoutes(app, { marks, addresses });
        subscriptionRoutes(app, { subscriptions, addresses });
        dependencyRoutes(app, { dependencies, addresses });
        timeRoutes(app, { times, stopwatches, addresses });
      },
      web: (app: App) => attachmentDownloadRoutes(app, { ...given, attachmentDownloads }),
    },
  };
}
