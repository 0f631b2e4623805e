import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import type { Commit } from '../../git/format/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { presentSignature } from '../contents/present.ts';
import type { ListedPage, Revisions, WikiPage } from './model.ts';
import {
  WikiCommitListSchema,
  type WikiCommitSchema,
  WikiPageMetaDataSchema,
  WikiPageSchema,
} from './schema.ts';

/** Returns the address of a page for people. */
export function wikiPageUrl(
  { repository, address }: Pick<ListedPage, 'repository' | 'address'>,
  addresses: Addresses,
): string {
  return `${repositoryAddresses(repository, addresses).htmlUrl}/wiki/${address}`;
}

function presentListed(
  page: ListedPage,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof WikiPageMetaDataSchema> {
  return {
    title: page.title,
    html_url: wikiPageUrl(page, addresses),
    sub_url: page.address,
    last_commit: presentWikiCommit(page.lastCommit),
  };
}

function presentPage(page: WikiPage, viewer: Viewer, addresses: Addresses): Static<typeof WikiPageSchema> {
  return {
    ...presentListed(page, viewer, addresses),
    content_base64: base64Of(page.content),
    commit_count: page.commitCount,
    sidebar: base64Of(page.sidebar),
    footer: base64Of(page.footer),
  };
}

function presentWikiCommit(commit: Commit): Static<typeof WikiCommitSchema> {
  return {
    sha: commit.oid,
    author: presentSignature(commit.author),
    commiter: presentSignature(commit.committer),
    message: commit.message,
  };
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export const ListedPageAnswer = answerOf(WikiPageMetaDataSchema, presentListed);
export const WikiPageAnswer = answerOf(WikiPageSchema, presentPage);
export const RevisionsAnswer = answerOf(WikiCommitListSchema, ({ commits, total }: Revisions) => ({
  commits: commits.map(presentWikiCommit),
  count: total,
}));
