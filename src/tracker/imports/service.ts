import type { OutboundClient } from '../../base/outbound/client.ts';
import type { Copying } from '../../hosting/mirrors/model.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import { isWebsite } from '../../hosting/repositories/settings/options.ts';
import { setAbout } from '../../hosting/repositories/writes.ts';
import { TOPIC_LIMITS } from '../../hosting/topics/limits.ts';
import { isTopic } from '../../hosting/topics/names.ts';
import type { Topics } from '../../hosting/topics/service.ts';
import type { PullPublication } from '../issues/models/staging.ts';
import type { IssueStaging } from '../issues/staging/service.ts';
import { insertImportedLabels, recountLabels } from '../labels/writes.ts';
import { insertImportedMilestones, recountMilestones } from '../milestones/writes.ts';
import type { PullStaging } from '../pulls/staging/service.ts';
import type { ReleaseStaging } from '../releases/staging.ts';
import { FamilyServer, familyAddressOf } from './family-server.ts';
import { IssueImport } from './issue-import.ts';
import { Omissions } from './omissions.ts';
import { PullImport } from './pull-import.ts';
import { ReleaseImport } from './release-import.ts';
import { TextCount, type TrackerSource } from './tracker-source.ts';

interface Dependencies {
  readonly outbound: OutboundClient;
  readonly topics: Topics;
  readonly issueStaging: IssueStaging;
  readonly pullStaging: PullStaging;
  readonly releaseStaging: ReleaseStaging;
}

/**
 * Adds to the copy of a repository what a server of this API's family says about it: description, website, topics,
 * labels, milestones, issues and pull requests with their comments, reviews, and releases with their assets. Everything is read and checked before
 * the repository appears.
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
    const omissions = new Omissions();
    const texts = new TextCount();
    const from: TrackerSource = { server, path, copying, items: family, omissions, texts };
    const { issueStaging, pullStaging, releaseStaging } = this.#use;
    const issues = new IssueImport(from, issueStaging);
    await issues.read();
    if (family.pulls) await new PullImport(from, pullStaging).read(issues.seen());
    const releases = new ReleaseImport(from, this.#use);
    if (family.releases) await releases.read();
    progress.leftOut.push(...omissions.lines());
    rows.push(
      (tx) => setAbout(tx, id, about),
      (tx) => this.#use.topics.addFirst(tx, id, about.topics),
      (tx, copied) => releaseStaging.publish(tx, id, releases.withTags(copied)),
      async (tx, copied) => {
        const labels = await insertImportedLabels(tx, id, issues.labels());
        const milestones = await insertImportedMilestones(tx, id, issues.milestones());
        if (!family.issues && !family.pulls) return;
        const pulls: PullPublication | null = family.pulls ? pullStaging.publication(id, copied) : null;
        await issueStaging.publish(tx, id, { labels, milestones, pulls, ...issues.numbers() });
        await recountLabels(tx, id);
        await recountMilestones(tx, id);
      },
    );
  }

  async #readAbout(server: FamilyServer, path: string, { wanted, progress }: Copying) {
    const { leftOut } = progress;
    const record = await server.get(path, 'repository');
    const found = record.text('description');
    const fits = found.length <= REPOSITORY_LIMITS.descriptionCharsMax;
    if (!fits) leftOut.push('the description, which is too long');
    const website = record.text('website');
    const isUsable = website.length <= REPOSITORY_LIMITS.websiteCharsMax && isWebsite(website);
    if (!isUsable) leftOut.push('the website, which is no address');
    const topics = record.texts('topics');
    const taken = [...new Set(topics.filter(isTopic))].sort().slice(0, TOPIC_LIMITS.topicsPerRepositoryMax);
    if (taken.length < topics.length) leftOut.push(`topics: ${topics.length - taken.length}`);
    return {
      description: wanted.description === '' && fits ? found : '',
      website: isUsable ? website : '',
      topics: taken,
    };
  }
}
