import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf, listOf } from '../../api/operations/answers.ts';
import type { CommitChanges } from '../../git/interface/history.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { NEVER_FILLED, wireTime } from '../../http/time.ts';
import { presentOwner } from '../../people/accounts/present.ts';
import { presentCommit, presentContent, presentSignature } from '../contents/present.ts';
import { presentVerification } from '../verification/present.ts';
import type { Blob, CommitDetails, ListedEntry, TreePage, WrittenCommit } from './model.ts';
import {
  BlobSchema,
  type CommitSchema,
  CommitWithTreeSchema,
  NewCommitSchema,
  TreeSchema,
} from './schema.ts';

export function presentBlob(blob: Blob, _viewer: Viewer, addresses: Addresses): Static<typeof BlobSchema> {
  const { url } = repositoryAddresses(blob.repository, addresses);
  return {
    ...presentContent(blob.content),
    url: `${url}/git/blobs/${blob.oid}`,
    sha: blob.oid,
    size: blob.sizeBytes,
  };
}

export function presentTree(
  page: TreePage,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof TreeSchema> {
  const { url } = repositoryAddresses(page.repository, addresses);
  return {
    sha: page.oid,
    url: `${url}/git/trees/${page.oid}`,
    tree: page.entries.map((entry) => presentEntry(entry, url)),
    truncated: page.isTruncated,
    page: page.page,
    total_count: page.total,
  };
}

/** The commit of a submodule is in another repository. */
function presentEntry({ path, mode, oid, sizeBytes }: ListedEntry, url: string) {
  const type = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
  const address = type === 'commit' ? '' : `${url}/git/${type}s/${oid}`;
  return { path, mode, type, size: sizeBytes, sha: oid, url: address };
}

export function presentDetails(
  details: CommitDetails,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof CommitSchema> {
  const { repository, commit, author, committer, verification, changes, options } = details;
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  const created = wireTime(commit.committer.seconds * 1000);
  const self = `${url}/git/commits/${commit.oid}`;
  const parents = commit.parents.map((sha) => ({
    url: `${url}/git/commits/${sha}`,
    sha,
    created: NEVER_FILLED,
  }));
  return {
    url: self,
    sha: commit.oid,
    created,
    html_url: `${htmlUrl}/commit/${commit.oid}`,
    commit: {
      url: self,
      author: presentSignature(commit.author),
      committer: presentSignature(commit.committer),
      message: commit.message,
      tree: { url: `${url}/git/trees/${commit.tree}`, sha: commit.tree, created },
      verification: verification === null ? null : presentVerification(verification),
    },
    author: author === null ? null : presentOwner(author, viewer, addresses),
    committer: committer === null ? null : presentOwner(committer, viewer, addresses),
    parents,
    files: options.hasFiles && changes !== null ? presentFiles(changes.files) : null,
    stats: options.hasStats && changes !== null ? presentStats(changes) : null,
  };
}

export function presentFiles(files: CommitChanges['files']) {
  return files.map(({ path, status }) => ({ filename: path, status }));
}

function presentStats({ additions, deletions }: CommitChanges) {
  return { total: additions + deletions, additions, deletions };
}

function presentWithTree(
  details: CommitDetails,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof CommitWithTreeSchema> {
  const presented = presentDetails(details, viewer, addresses);
  const { message, tree } = presented.commit;
  return { ...presented, message, tree };
}

function presentNewCommit(
  { repository, commit, verification }: WrittenCommit,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof NewCommitSchema> {
  return {
    ...presentCommit(commit, { repository }, addresses),
    verification: presentVerification(verification),
  };
}

export const BlobAnswer = answerOf(BlobSchema, presentBlob);
export const BlobsAnswer = listOf(BlobAnswer);
export const TreeAnswer = answerOf(TreeSchema, presentTree);
export const CommitWithTreeAnswer = answerOf(CommitWithTreeSchema, presentWithTree);
export const NewCommitAnswer = answerOf(NewCommitSchema, presentNewCommit);
