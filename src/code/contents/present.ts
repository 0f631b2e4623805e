import type { Static } from 'typebox';
import type { Commit, Oid, Signature } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { NEVER_FILLED, wireTime } from '../../http/time.ts';
import type { ContentsEntry, ContentsPlace, ExtendedEntry } from './model.ts';
import type { ContentsSchema, ExtendedEntrySchema, FileResponse } from './schema.ts';

/** Characters that a URL has as they are. */
const PLAIN_PATH = /^[\w./-]*$/;

/** Encodes each segment of a path for a URL and keeps the slashes. */
export function encodePath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The starts of all addresses in one place, so that a list encodes them once. */
interface PlaceAddresses {
  readonly contents: string;
  /** the end of an address of contents */
  readonly query: string;
  readonly git: string;
  readonly source: string;
  readonly raw: string;
}

function addressesAt(
  { repository, ref }: Pick<ContentsPlace, 'repository' | 'ref'>,
  addresses: Addresses,
): PlaceAddresses {
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  const { kind, name, asked } = ref;
  return {
    contents: `${url}/contents`,
    query: `?ref=${encodeURIComponent(asked)}`,
    git: `${url}/git`,
    source: `${htmlUrl}/src/${kind}/${encodePath(name)}`,
    raw: `${htmlUrl}/raw/${kind}/${encodePath(name)}`,
  };
}

type EntryRecord = Static<typeof ContentsSchema>;

/** Returns the addresses of a file at a commit. */
export function fileAddresses(
  { repository, commit, path }: { repository: Repository; commit: Oid; path: string },
  addresses: Addresses,
) {
  const at = addressesAt({ repository, ref: { kind: 'commit', name: commit, asked: commit } }, addresses);
  const encoded = encodePath(path);
  return {
    contents: `${at.contents}/${encoded}${at.query}`,
    source: `${at.source}/${encoded}`,
    raw: `${at.raw}/${encoded}`,
  };
}

export function presentEntry(entry: ContentsEntry, place: ContentsPlace, addresses: Addresses): EntryRecord {
  return presentAt(entry, addressesAt(place, addresses));
}

export function presentEntries(
  entries: readonly ContentsEntry[],
  place: ContentsPlace,
  addresses: Addresses,
): EntryRecord[] {
  const at = addressesAt(place, addresses);
  return entries.map((entry) => presentAt(entry, at));
}

function presentAt(entry: ContentsEntry, at: PlaceAddresses): EntryRecord {
  const { oid, seconds } = entry.lastCommit;
  return { ...presentPlain(entry, at), last_commit_sha: oid, last_commit_when: wireTime(seconds * 1000) };
}

/** @param shown which parts of the last commit were asked for */
export function presentExtended(
  entry: ExtendedEntry,
  place: ContentsPlace,
  addresses: Addresses,
  shown: { metadata: boolean; message: boolean },
): Static<typeof ExtendedEntrySchema> {
  const { lastCommit, lfs } = entry;
  return {
    ...presentPlain(entry, addressesAt(place, addresses)),
    ...(lastCommit === null || !shown.metadata ? {} : presentLastCommit(lastCommit)),
    ...(lastCommit === null || !shown.message ? {} : { last_commit_message: lastCommit.message }),
    ...(lfs === null ? {} : { lfs_oid: lfs.oid, lfs_size: lfs.sizeBytes }),
  };
}

function presentLastCommit({ oid, author, committer }: Commit) {
  const committed = wireTime(committer.seconds * 1000);
  return {
    last_commit_sha: oid,
    last_commit_when: committed,
    last_committer_date: committed,
    last_author_date: wireTime(author.seconds * 1000),
  };
}

/** @param content null if a response has none, for example because it is too large */
export function presentContent(
  content: Uint8Array | null,
): { encoding: 'base64'; content: string } | { encoding: null; content: null } {
  if (content === null) return { encoding: null, content: null };
  return { encoding: 'base64', content: Buffer.from(content).toString('base64') };
}

function presentPlain(entry: Omit<ContentsEntry, 'lastCommit'>, at: PlaceAddresses) {
  const path = encodePath(entry.path);
  const self = `${at.contents}/${path}${at.query}`;
  const isSubmodule = entry.type === 'submodule';
  const git = isSubmodule ? null : `${at.git}/${entry.type === 'dir' ? 'trees' : 'blobs'}/${entry.oid}`;
  const html = isSubmodule ? null : `${at.source}/${path}`;
  const isStreamable = entry.type === 'file' || entry.type === 'symlink';
  return {
    name: entry.name,
    path: entry.path,
    sha: entry.oid,
    type: entry.type,
    size: entry.sizeBytes,
    ...presentContent(entry.content),
    target: entry.target,
    url: self,
    html_url: html,
    git_url: git,
    download_url: isStreamable ? `${at.raw}/${path}` : null,
    submodule_git_url: entry.submoduleUrl,
    _links: { self, git, html },
  };
}

export function presentCommit(
  commit: Commit,
  { repository }: Pick<ContentsPlace, 'repository'>,
  addresses: Addresses,
): Static<typeof FileResponse>['commit'] {
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  const meta = (kind: 'commits' | 'trees', sha: string) => ({
    url: `${url}/git/${kind}/${sha}`,
    sha,
    created: NEVER_FILLED,
  });
  return {
    ...meta('commits', commit.oid),
    html_url: `${htmlUrl}/commit/${commit.oid}`,
    author: presentSignature(commit.author),
    committer: presentSignature(commit.committer),
    parents: commit.parents.map((parent) => meta('commits', parent)),
    message: commit.message,
    tree: meta('trees', commit.tree),
  };
}

export function presentSignature(signature: Signature): { name: string; email: string; date: string } {
  return { name: signature.name, email: signature.email, date: wireTime(signature.seconds * 1000) };
}
