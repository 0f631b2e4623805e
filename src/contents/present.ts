import type { Static } from 'typebox';
import type { Commit, Signature, Tag } from '../git/model.ts';
import type { Addresses } from '../http/app.ts';
import { NEVER_FILLED, wireTime } from '../http/time.ts';
import { repositoryAddresses } from '../repositories/present.ts';
import type { ContentsEntry, ContentsPlace, ExtendedEntry } from './model.ts';
import type { ContentsSchema, ExtendedEntrySchema, FileResponse, Verification } from './schema.ts';

/** Encodes each segment of a path for a URL and keeps the slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function presentEntry(
  entry: ContentsEntry,
  place: ContentsPlace,
  addresses: Addresses,
): Static<typeof ContentsSchema> {
  return {
    last_commit_sha: entry.lastCommit.oid,
    last_commit_when: wireTime(entry.lastCommit.seconds * 1000),
    ...presentPlain(entry, place, addresses),
  };
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
    ...presentPlain(entry, place, addresses),
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

function presentPlain(
  entry: Omit<ContentsEntry, 'lastCommit'>,
  { repository, ref }: ContentsPlace,
  addresses: Addresses,
) {
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  const { kind, name, asked } = ref;
  const path = encodePath(entry.path);
  const self = `${url}/contents/${path}?ref=${encodeURIComponent(asked)}`;
  const isSubmodule = entry.type === 'submodule';
  const git = isSubmodule ? null : `${url}/git/${entry.type === 'dir' ? 'trees' : 'blobs'}/${entry.oid}`;
  const html = isSubmodule ? null : `${htmlUrl}/src/${kind}/${encodePath(name)}/${path}`;
  const isStreamable = entry.type === 'file' || entry.type === 'symlink';
  return {
    name: entry.name,
    path: entry.path,
    sha: entry.oid,
    type: entry.type,
    size: entry.sizeBytes,
    encoding: entry.content === null ? null : 'base64',
    content: entry.content === null ? null : Buffer.from(entry.content).toString('base64'),
    target: entry.target,
    url: self,
    html_url: html,
    git_url: git,
    download_url: isStreamable ? `${htmlUrl}/raw/${kind}/${encodePath(name)}/${path}` : null,
    submodule_git_url: entry.submoduleUrl,
    _links: { self, git, html },
  };
}

export function presentCommit(
  commit: Commit,
  { repository }: ContentsPlace,
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

/** The verification of unsigned commits, such as those of the API. */
const NOT_SIGNED = {
  verified: false,
  reason: 'gpg.error.not_signed_commit',
  signature: '',
  signer: null,
  payload: '',
};

/** The armor of signatures that clients of this API know: OpenPGP and SSH. */
const KNOWN_ARMOR = /^-----BEGIN (?:PGP|SSH) SIGNATURE-----$/m;

/** A tag has its signature at the end of its message. */
export function presentTagVerification({ message }: Tag): Static<typeof Verification> {
  if (!KNOWN_ARMOR.test(message)) return NOT_SIGNED;
  const from = message.search(KNOWN_ARMOR);
  return { ...NOT_SIGNED, reason: 'gpg.error.no_gpg_keys_found', signature: message.slice(from) };
}

/** The server knows no keys, so it verifies no signature. */
export function presentVerification({ signature }: Commit): Static<typeof Verification> {
  if (signature === null) return NOT_SIGNED;
  return {
    ...NOT_SIGNED,
    reason: KNOWN_ARMOR.test(signature.text) ? 'gpg.error.no_gpg_keys_found' : 'gpg.error.extract_sign',
    signature: signature.text,
    payload: Buffer.from(signature.payload).toString('utf8'),
  };
}
