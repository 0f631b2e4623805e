import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import type { Activity, OpType } from '../../tracker/activities/model.ts';
import { pushContentOf } from '../../tracker/activities/pushed-commits.ts';
import { anchorOf } from '../../tracker/issues/discussion/comments/present.ts';
import { issueAddresses } from '../../tracker/issues/present.ts';
import type { Release } from '../../tracker/releases/model.ts';
import { releaseAddresses } from '../../tracker/releases/present.ts';
import { WEB_LIMITS } from '../limits.ts';
import type { FeedEntry } from './feed-document.ts';

/** What a sentence about an activity names. */
interface Named {
  /** `owner/name` of the repository */
  readonly repository: string;
  /** `owner/name#number` of the issue or pull request */
  readonly issue: string;
  /** short name of the branch or tag */
  readonly ref: string;
  readonly content: string;
}

/** What follows the name of the account in the title of an entry. */
const SENTENCES: Readonly<Record<OpType, (named: Named) => string>> = {
  create_repo: ({ repository }) => `created ${repository}`,
  rename_repo: ({ repository, content }) => `renamed ${content} to ${repository}`,
  star_repo: ({ repository }) => `starred ${repository}`,
  watch_repo: ({ repository }) => `started watching ${repository}`,
  commit_repo: ({ repository, ref }) => `pushed to ${ref} at ${repository}`,
  create_issue: ({ issue }) => `opened issue ${issue}`,
  create_pull_request: ({ issue }) => `opened pull request ${issue}`,
  transfer_repo: ({ repository, content }) => `transferred ${content} to ${repository}`,
  push_tag: ({ repository, ref }) => `pushed tag ${ref} to ${repository}`,
  comment_issue: ({ issue }) => `commented on issue ${issue}`,
  merge_pull_request: ({ issue }) => `merged pull request ${issue}`,
  close_issue: ({ issue }) => `closed issue ${issue}`,
  reopen_issue: ({ issue }) => `reopened issue ${issue}`,
  close_pull_request: ({ issue }) => `closed pull request ${issue}`,
  reopen_pull_request: ({ issue }) => `reopened pull request ${issue}`,
  delete_tag: ({ repository, ref }) => `deleted tag ${ref} from ${repository}`,
  delete_branch: ({ repository, ref }) => `deleted branch ${ref} from ${repository}`,
  mirror_sync_push: ({ repository, ref }) => `updated ${ref} of the mirror ${repository}`,
  mirror_sync_create: ({ repository, ref }) => `added ${ref} to the mirror ${repository}`,
  mirror_sync_delete: ({ repository, ref }) => `deleted ${ref} from the mirror ${repository}`,
  approve_pull_request: ({ issue }) => `approved ${issue}`,
  reject_pull_request: ({ issue }) => `requested changes of ${issue}`,
  comment_pull: ({ issue }) => `commented on pull request ${issue}`,
  publish_release: ({ repository, ref }) => `released ${ref} of ${repository}`,
  pull_review_dismissed: ({ issue }) => `dismissed a review of ${issue}`,
  pull_request_ready_for_review: ({ issue }) => `marked pull request ${issue} as ready for review`,
  auto_merge_pull_request: ({ issue }) => `merged pull request ${issue} automatically`,
};

const WITH_COMMITS: ReadonlySet<OpType> = new Set(['commit_repo', 'mirror_sync_push']);

/** The notes of a release stand in the feed as their author wrote them. */
export function releaseEntryOf(release: Release, addresses: Addresses): FeedEntry {
  const { htmlUrl: link } = releaseAddresses(release, addresses);
  const { title, body, author, publishedAt: at } = release;
  const text = body.slice(0, WEB_LIMITS.releasePageCharsMax).toWellFormed();
  return {
    id: link,
    title,
    author: author?.name ?? 'Ghost',
    link,
    content: html`<pre>${asWritten(text)}</pre>`,
    at,
  };
}

export function feedEntryOf(activity: Activity, addresses: Addresses): FeedEntry {
  const { id, opType, actor, issue, content, refName, at } = activity;
  const { repository } = activity.repository;
  const fullName = `${repository.owner.name}/${repository.name}`;
  const named = {
    repository: fullName,
    issue: `${fullName}#${issue?.number ?? 0}`,
    ref: refName.replace(/^refs\/(?:heads|tags)\//, ''),
    content,
  };
  return {
    id: `${addresses.baseUrl}/#activity-${id}`,
    title: `${actor.name} ${SENTENCES[opType](named)}`,
    author: actor.name,
    link: linkOf(activity, addresses),
    content: contentOf(activity, addresses),
    at,
  };
}

function linkOf(
  { repository, issue, comment, opType, refName, content }: Activity,
  addresses: Addresses,
): string {
  const { htmlUrl } = repositoryAddresses(repository.repository, addresses);
  if (issue !== null) {
    const page = issueAddresses({ repository: repository.repository, ...issue }, addresses).htmlUrl;
    return comment === null ? page : `${page}#${anchorOf(comment.id)}`;
  }
  if (WITH_COMMITS.has(opType)) {
    const { CompareURL: comparison } = pushContentOf(content);
    return comparison === '' ? refAddress(htmlUrl, refName) : `${addresses.baseUrl}/${comparison}`;
  }
  return opType === 'push_tag' || opType === 'mirror_sync_create' ? refAddress(htmlUrl, refName) : htmlUrl;
}

function refAddress(repositoryUrl: string, refName: string): string {
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(refName) ?? [];
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `${repositoryUrl}/src/${kind === 'tags' ? 'tag' : 'branch'}/${path}`;
}

function contentOf({ repository, issue, comment, opType, content }: Activity, addresses: Addresses): Html {
  if (issue !== null) {
    const said = comment === null ? '' : content.slice(content.indexOf('|') + 1);
    return html`<p>${issue.title}</p>${said === '' ? html`` : html`<p>${said}</p>`}`;
  }
  if (!WITH_COMMITS.has(opType)) return html`<p>${repository.repository.description}</p>`;
  const { htmlUrl } = repositoryAddresses(repository.repository, addresses);
  const { Commits: commits } = pushContentOf(content);
  const items = commits.map(
    ({ Sha1: sha, Message: message }) =>
      html`<li><a href="${`${htmlUrl}/commit/${sha}`}">${sha.slice(0, 10)}</a> ${message.split('\n', 1)[0] ?? ''}</li>`,
  );
  return html`<ul>${items}</ul>`;
}
