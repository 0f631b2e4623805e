import { RemoteError } from '../../git/remote/model.ts';
import { ISSUE_LIMITS } from '../issues/limits.ts';
import type { ImportedComment, ImportedIssue } from '../issues/models/staging.ts';
import type { IssueStaging } from '../issues/staging/service.ts';
import { LABEL_LIMITS } from '../labels/limits.ts';
import type { ImportedLabel } from '../labels/writes.ts';
import { MILESTONE_LIMITS } from '../milestones/limits.ts';
import type { ImportedMilestone } from '../milestones/writes.ts';
import type { Fields } from './fields.ts';
import {
  importedComment,
  importedIssue,
  importedLabel,
  importedMilestone,
  isPullRequest,
  placeOfComment,
} from './issue-records.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { missingList, type TrackerSource, unlessMalformed } from './tracker-source.ts';

/** The two kinds of issues, as the source names them in the filter of a list. */
const KINDS = ['issues', 'pulls'] as const;
type Kind = (typeof KINDS)[number];

/** What later records need to know about an issue that was read. */
export interface SeenIssue {
  readonly isPull: boolean;
  readonly isOpen: boolean;
}

/**
 * Reads labels, milestones, issues and the issues of pull requests of one repository, with their comments. Issues and
 * comments go to the staging, page by page. A record of an issue that cannot be used ends the import; one of a pull
 * request is left out.
 */
export class IssueImport {
  readonly #from: TrackerSource;
  readonly #staging: IssueStaging;
  readonly #labels = new Map<number, ImportedLabel>();
  readonly #milestones = new Map<number, ImportedMilestone>();
  readonly #pinned: { readonly kind: Kind; readonly number: number; readonly order: number }[] = [];
  /** by number */
  readonly #seen = new Map<number, SeenIssue>();
  /** the kinds that are switched off at the source, so that it has no list of them */
  readonly #off = new Set<Kind>();
  #lastNumber = 0;

  constructor(from: TrackerSource, staging: IssueStaging) {
    this.#from = from;
    this.#staging = staging;
  }

  async read(): Promise<void> {
    const { server, path, items } = this.#from;
    if (items.labels) {
      const list = this.#optional('labels', LABEL_LIMITS.labelsPerOwnerMax);
      for await (const page of server.pages(`${path}/labels`, list)) this.#addLabels(page.map(importedLabel));
    }
    if (items.milestones) {
      const list = this.#optional('milestones', MILESTONE_LIMITS.milestonesPerRepositoryMax);
      for await (const page of server.pages(`${path}/milestones?state=all`, list))
        for (const milestone of page.map(importedMilestone)) this.#addMilestone(milestone);
    }
    if (!items.issues && !items.pulls) return;
    for (const kind of KINDS) {
      if (items[kind]) await this.#readIssues(kind);
      else await this.#readLastNumber(kind);
    }
    // The list of pull requests itself shows whether the source has any.
    if (items.issues && this.#off.has('issues')) this.#omitList('issues');
    if (KINDS.some((kind) => items[kind] && !this.#off.has(kind))) await this.#readComments();
  }

  /** Describes a list that the source does not have if issues and pull requests are switched off. */
  #optional(what: string, itemsMax: number) {
    return { what, itemsMax, onMissing: () => this.#omitList(what) };
  }

  #omitList(what: string): void {
    this.#from.omissions.add(missingList(what));
  }

  async #readIssues(kind: Kind): Promise<void> {
    const { copying } = this.#from;
    const { progress } = copying;
    const onTotal = (total: number) => {
      if (kind === 'issues') progress.issuesTotal = total;
      else progress.pullsTotal = total;
    };
    for await (const page of this.#pages(kind, onTotal)) {
      const issues = page.flatMap((fields) => this.#takeIssue(fields, kind) ?? []);
      await this.#staging.addIssues(copying.id, issues);
      if (kind === 'issues') progress.issues += issues.length;
    }
  }

  /** The numbers of the other kind are not used again, so that texts about them do not come to mean other things. */
  async #readLastNumber(kind: Kind): Promise<void> {
    for await (const page of this.#pages(kind)) {
      for (const fields of page) this.#see(fields);
      // The newest come first.
      break;
    }
  }

  #pages(kind: Kind, onTotal?: (total: number) => void): AsyncGenerator<readonly Fields[]> {
    const { server, path } = this.#from;
    const isPull = kind === 'pulls';
    return server.pages(`${path}/issues?state=all&type=${kind}`, {
      what: isPull ? 'pull requests' : 'issues',
      itemsMax: isPull ? IMPORT_LIMITS.importedPullsMax : IMPORT_LIMITS.importedIssuesMax,
      ...(onTotal === undefined ? {} : { onTotal }),
      onMissing: () => this.#off.add(kind),
    });
  }

  #see(fields: Fields): number {
    const number = fields.id('number', IMPORT_LIMITS.importedIssueNumberMax);
    this.#lastNumber = Math.max(this.#lastNumber, number);
    return number;
  }

  /** @returns undefined for an issue that was read before or is left out */
  #takeIssue(fields: Fields, kind: Kind): ImportedIssue | undefined {
    const { items, omissions, texts } = this.#from;
    const isPull = kind === 'pulls';
    const read = () => {
      this.#see(fields);
      // Some servers do not know the filter.
      return isPullRequest(fields) === isPull ? importedIssue(fields, items.authors) : undefined;
    };
    const found = isPull ? unlessMalformed(this.#from, 'pull requests', read) : read();
    if (found === undefined) return undefined;
    const { issue, labels, milestone, pinOrder, attachments, strangers } = found;
    const { number, closedAt } = issue;
    const seen = this.#seen.get(number);
    if (seen !== undefined) {
      if (seen.isPull !== isPull) omissions.add('pull requests with the number of an issue');
      return undefined;
    }
    this.#seen.set(number, { isPull, isOpen: closedAt === null });
    this.#addLabels(labels);
    if (milestone !== null) this.#addMilestone(milestone);
    if (pinOrder > 0) this.#pinned.push({ kind, number, order: pinOrder });
    omissions.add('attachments of issues', attachments);
    omissions.add('assignments to users without an account here', strangers);
    texts.add(issue.body);
    return issue;
  }

  async #readComments(): Promise<void> {
    const { server, path, copying } = this.#from;
    const { progress } = copying;
    const list = {
      what: 'comments',
      itemsMax: IMPORT_LIMITS.importedCommentsMax,
      onTotal: (total: number) => {
        progress.commentsTotal = total;
      },
    };
    for await (const page of server.pages(`${path}/issues/comments`, list)) {
      const comments = page.flatMap((fields) => this.#takeComment(fields) ?? []);
      await this.#staging.addComments(copying.id, comments);
      progress.comments += comments.length;
    }
  }

  #takeComment(fields: Fields): ImportedComment | undefined {
    const { items, omissions, texts } = this.#from;
    const place = placeOfComment(fields);
    if (place === undefined || !items[place.isPull ? 'pulls' : 'issues']) return undefined;
    const read = () => importedComment(fields, place, items.authors);
    const found = place.isPull ? unlessMalformed(this.#from, 'comments of pull requests', read) : read();
    if (found === undefined) return undefined;
    omissions.add('attachments of issues', found.attachments);
    texts.add(found.comment.body);
    return found.comment;
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

  /** the issues that were read, by number */
  seen(): ReadonlyMap<number, SeenIssue> {
    return this.#seen;
  }

  numbers() {
    return {
      pinned: { issues: this.#pinnedOf('issues'), pulls: this.#pinnedOf('pulls') },
      lastNumber: this.#lastNumber,
    };
  }

  #pinnedOf(kind: Kind): readonly number[] {
    const pinned = this.#pinned.filter((each) => each.kind === kind);
    const numbers = pinned.toSorted((one, other) => one.order - other.order).map(({ number }) => number);
    return numbers.slice(0, ISSUE_LIMITS.pinnedIssuesMax);
  }
}
