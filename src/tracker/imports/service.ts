import type { OutboundClient } from '../../base/outbound/client.ts';
import { RemoteError } from '../../git/remote/model.ts';
import type { Copying, FamilyItems } from '../../hosting/mirrors/model.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import { isWebsite } from '../../hosting/repositories/settings/options.ts';
import { setAbout } from '../../hosting/repositories/writes.ts';
import { TOPIC_LIMITS } from '../../hosting/topics/limits.ts';
import { isTopic } from '../../hosting/topics/names.ts';
import type { Topics } from '../../hosting/topics/service.ts';
import { ISSUE_LIMITS } from '../issues/limits.ts';
import type { ImportedComment, ImportedIssue } from '../issues/models/staging.ts';
import type { IssueStaging } from '../issues/staging/service.ts';
import { LABEL_LIMITS } from '../labels/limits.ts';
import { type ImportedLabel, insertImportedLabels, recountLabels } from '../labels/writes.ts';
import { MILESTONE_LIMITS } from '../milestones/limits.ts';
import { type ImportedMilestone, insertImportedMilestones, recountMilestones } from '../milestones/writes.ts';
import { FamilyServer, familyAddressOf } from './family-server.ts';
import { IMPORT_LIMITS } from './limits.ts';
import {
  importedComment,
  importedIssue,
  importedLabel,
  importedMilestone,
  isPullRequest,
} from './tracker.ts';

interface Dependencies {
  readonly outbound: OutboundClient;
  readonly topics: Topics;
  readonly issueStaging: IssueStaging;
}

/**
 * Adds to the copy of a repository what a server of this API's family says about it: description, website, topics,
 * labels, milestones, and issues with their comments. Everything is read and checked before the repository appears.
 */
export class RepositoryImports {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws RemoteError, OutboundError; the reason of the signal */
  async stage(copying: Copying): Promise<void> {
    const { wanted, signal, id, rows, progress } = copying;
    const { family, source } = wanted;
    if (family === null) return;
    progress.phase = 'issues';
    const { api, owner, name } = familyAddressOf(source.url);
    const server = new FamilyServer(this.#use.outbound, { api, credentials: source.credentials, signal });
    const path = `/repos/${owner}/${name}`;
    const about = await this.#readAbout(server, path, copying);
    const tracker = new TrackerReading({ server, path, staging: this.#use.issueStaging, copying }, family);
    await tracker.read();
    progress.leftOut.push(...tracker.notTaken());
    rows.push(
      (tx) => setAbout(tx, id, about),
      (tx) => this.#use.topics.addFirst(tx, id, about.topics),
      async (tx) => {
        const labels = await insertImportedLabels(tx, id, tracker.labels());
        const milestones = await insertImportedMilestones(tx, id, tracker.milestones());
        if (!family.issues) return;
        await this.#use.issueStaging.publish(tx, id, { labels, milestones, ...tracker.numbers() });
        await recountLabels(tx, id);
        await recountMilestones(tx, id);
      },
    );
  }

  async #readAbout(server: FamilyServer, path: string, { wanted, progress }: Copying) {
    const { leftOut: notTaken } = progress;
    const record = await server.get(path, 'repository');
    const found = record.text('description');
    const fits = found.length <= REPOSITORY_LIMITS.descriptionCharsMax;
    if (!fits) notTaken.push('the description, which is too long');
    const website = record.text('website');
    const isUsable = website.length <= REPOSITORY_LIMITS.websiteCharsMax && isWebsite(website);
    if (!isUsable) notTaken.push('the website, which is no address');
    const topics = record.texts('topics');
    const taken = [...new Set(topics.filter(isTopic))].sort().slice(0, TOPIC_LIMITS.topicsPerRepositoryMax);
    if (taken.length < topics.length) notTaken.push(`topics: ${topics.length - taken.length}`);
    return {
      description: wanted.description === '' && fits ? found : '',
      website: isUsable ? website : '',
      topics: taken,
    };
  }
}

interface ReadingFrom {
  readonly server: FamilyServer;
  /** of the repository, in the API */
  readonly path: string;
  readonly staging: IssueStaging;
  readonly copying: Copying;
}

/** Reads labels, milestones and issues of one repository. Issues and comments go to the staging, page by page. */
class TrackerReading {
  readonly #from: ReadingFrom;
  readonly #items: FamilyItems;
  readonly #labels = new Map<number, ImportedLabel>();
  readonly #milestones = new Map<number, ImportedMilestone>();
  readonly #pinned: { readonly number: number; readonly order: number }[] = [];
  readonly #left = { assignments: 0, attachments: 0 };
  #lastNumber = 0;
  #textChars = 0;

  constructor(from: ReadingFrom, items: FamilyItems) {
    this.#from = from;
    this.#items = items;
  }

  async read(): Promise<void> {
    const { server, path } = this.#from;
    if (this.#items.labels) {
      const list = { what: 'labels', itemsMax: LABEL_LIMITS.labelsPerOwnerMax };
      for await (const page of server.pages(`${path}/labels`, list)) this.#addLabels(page.map(importedLabel));
    }
    if (this.#items.milestones) {
      const list = { what: 'milestones', itemsMax: MILESTONE_LIMITS.milestonesPerRepositoryMax };
      for await (const page of server.pages(`${path}/milestones?state=all`, list))
        for (const milestone of page.map(importedMilestone)) this.#addMilestone(milestone);
    }
    if (this.#items.issues) {
      await this.#readIssues();
      await this.#readComments();
    }
  }

  async #readIssues(): Promise<void> {
    const { server, path, staging, copying } = this.#from;
    const { progress } = copying;
    const list = {
      what: 'issues',
      itemsMax: IMPORT_LIMITS.importedIssuesMax,
      onTotal: (total: number) => {
        progress.issuesTotal = total;
      },
    };
    for await (const page of server.pages(`${path}/issues?state=all&type=issues`, list)) {
      const issues: ImportedIssue[] = [];
      for (const fields of page) {
        const number = fields.id('number', IMPORT_LIMITS.importedIssueNumberMax);
        this.#lastNumber = Math.max(this.#lastNumber, number);
        // Some servers do not know the filter.
        if (isPullRequest(fields)) continue;
        const found = importedIssue(fields, this.#items.authors);
        const { issue, labels, milestone, pinOrder, attachments, strangers } = found;
        this.#addLabels(labels);
        if (milestone !== null) this.#addMilestone(milestone);
        if (pinOrder > 0) this.#pinned.push({ number, order: pinOrder });
        this.#left.attachments += attachments;
        this.#left.assignments += strangers;
        this.#countText(issue);
        issues.push(issue);
      }
      await staging.addIssues(copying.id, issues);
      progress.issues += issues.length;
    }
    // Numbers of pull requests are not used again, so that texts about them do not come to mean other things.
    const pulls = server.pages(`${path}/issues?state=all&type=pulls`, {
      what: 'pull requests',
      itemsMax: IMPORT_LIMITS.importedIssuesMax,
    });
    for await (const page of pulls) {
      for (const fields of page) {
        const number = fields.id('number', IMPORT_LIMITS.importedIssueNumberMax);
        this.#lastNumber = Math.max(this.#lastNumber, number);
      }
      // The newest come first.
      break;
    }
  }

  async #readComments(): Promise<void> {
    const { server, path, staging, copying } = this.#from;
    const { progress } = copying;
    const list = {
      what: 'comments',
      itemsMax: IMPORT_LIMITS.importedCommentsMax,
      onTotal: (total: number) => {
        progress.commentsTotal = total;
      },
    };
    for await (const page of server.pages(`${path}/issues/comments`, list)) {
      const comments: ImportedComment[] = [];
      for (const fields of page) {
        const found = importedComment(fields, this.#items.authors);
        if (found === undefined) continue;
        this.#left.attachments += found.attachments;
        this.#countText(found.comment);
        comments.push(found.comment);
      }
      await staging.addComments(copying.id, comments);
      progress.comments += comments.length;
    }
  }

  #countText({ body }: { readonly body: string }): void {
    this.#textChars += body.length;
    if (this.#textChars > IMPORT_LIMITS.importedTextCharsMax)
      throw new RemoteError(
        `the source has more than ${IMPORT_LIMITS.importedTextCharsMax} characters of issues`,
      );
  }

  /** Issues bring their labels, too: those of an organization are in no list of the repository. */
  #addLabels(labels: readonly ImportedLabel[]): void {
    for (const label of labels) if (!this.#labels.has(label.key)) this.#labels.set(label.key, label);
    if (this.#labels.size > LABEL_LIMITS.labelsPerOwnerMax)
      throw new RemoteError(`the source has more than ${LABEL_LIMITS.labelsPerOwnerMax} labels`);
  }

  #addMilestone(milestone: ImportedMilestone): void {
    if (!this.#milestones.has(milestone.key)) this.#milestones.set(milestone.key, milestone);
    if (this.#milestones.size > MILESTONE_LIMITS.milestonesPerRepositoryMax)
      throw new RemoteError(
        `the source has more than ${MILESTONE_LIMITS.milestonesPerRepositoryMax} milestones`,
      );
  }

  /** in the order in which they were made */
  labels(): readonly ImportedLabel[] {
    return [...this.#labels.values()].toSorted((one, other) => one.key - other.key);
  }

  milestones(): readonly ImportedMilestone[] {
    return [...this.#milestones.values()].toSorted((one, other) => one.key - other.key);
  }

  numbers(): { readonly pinned: readonly number[]; readonly lastNumber: number } {
    const pinned = this.#pinned.toSorted((one, other) => one.order - other.order).map(({ number }) => number);
    return {
      pinned: [...new Set(pinned)].slice(0, ISSUE_LIMITS.pinnedIssuesMax),
      lastNumber: this.#lastNumber,
    };
  }

  notTaken(): readonly string[] {
    const { attachments, assignments } = this.#left;
    return [
      ...(attachments === 0 ? [] : [`attachments of issues: ${attachments}`]),
      ...(assignments === 0 ? [] : [`assignments to users without an account here: ${assignments}`]),
    ];
  }
}
