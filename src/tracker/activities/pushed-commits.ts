import type { Commit, Oid } from '../../git/format/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { wireTime } from '../../http/time.ts';
import { ACTIVITY_LIMITS } from './limits.ts';
import type { RefMove } from './model.ts';

interface Pushed {
  /** the newest first, a bounded number */
  readonly commits: readonly Commit[];
  readonly total: number;
}

interface PlacedMove {
  readonly move: RefMove;
  readonly refName: string;
  /** `owner/name` of the repository, at the time of the push */
  readonly repository: string;
}

const NOTHING: Pushed = { commits: [], total: 0 };

/** Returns the content of an activity whose commits are not known. */
export function contentWithoutCommits(): string {
  return contentOf(NOTHING, null, '');
}

/**
 * Reads the content of an activity about a branch or a tag: JSON with the newest commits and the number of all.
 *
 * @throws ForgeError `not_found` if the commits are gone; `busy`
 */
export async function readPushContent(
  git: Pick<GitStorage, 'history'>,
  snapshot: Snapshot,
  { move, refName, repository }: PlacedMove,
): Promise<string> {
  if (move.new === null) return contentWithoutCommits();
  const tip = await snapshot.objects.peelToCommit(move.new);
  if (tip === undefined) return contentWithoutCommits();
  const head = await snapshot.objects.readCommit(tip);
  if (!refName.startsWith('refs/heads/')) return contentOf(NOTHING, head, '');
  const base = move.old ?? baseOfNew(snapshot, refName);
  const comparison = move.old === null ? '' : `${repository}/compare/${move.old}...${tip}`;
  return contentOf(await commitsOf(git, snapshot, { tip, base }), head, comparison);
}

/** A new branch has what the default branch lacks. */
function baseOfNew(snapshot: Snapshot, refName: string): Oid | null {
  return snapshot.head === refName ? null : (snapshot.ref(snapshot.head) ?? null);
}

async function commitsOf(
  git: Pick<GitStorage, 'history'>,
  snapshot: Snapshot,
  move: { readonly tip: Oid; readonly base: Oid | null },
): Promise<Pushed> {
  const { oids, total } = await git.history.listGained(snapshot, move, ACTIVITY_LIMITS.commitsPerPushMax);
  return { commits: await read(snapshot, oids), total };
}

async function read(snapshot: Snapshot, oids: readonly Oid[]): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for (const oid of oids) commits.push(await snapshot.objects.readCommit(oid));
  return commits;
}

/** The names are those of the Gitea API, whose clients read this JSON. */
function contentOf({ commits, total }: Pushed, head: Commit | null, comparison: string): string {
  return JSON.stringify({
    Commits: commits.map(pushedCommit),
    HeadCommit: head === null ? null : pushedCommit(head),
    CompareURL: comparison,
    Len: total,
  });
}

function pushedCommit({ oid, message, author, committer }: Commit) {
  return {
    Sha1: oid,
    Message: message.slice(0, ACTIVITY_LIMITS.activityMessageCharsMax).toWellFormed(),
    AuthorEmail: author.email,
    AuthorName: author.name,
    CommitterEmail: committer.email,
    CommitterName: committer.name,
    Timestamp: wireTime(author.seconds * 1_000),
  };
}

/** What the content of a push says. */
export interface PushContent {
  readonly Commits: readonly ReturnType<typeof pushedCommit>[];
  readonly HeadCommit: ReturnType<typeof pushedCommit> | null;
  readonly CompareURL: string;
  readonly Len: number;
}

/**
 * Returns the content of an activity of type `commit_repo` or `mirror_sync_push` with the address of the repository as it is
 * named now.
 *
 * @param repository `owner/name`, for an address
 */
export function withPushPath(content: string, repository: string): string {
  const push = pushContentOf(content);
  const moved = push.CompareURL.replace(/^[^/]*\/[^/]*\/compare\//, () => `${repository}/compare/`);
  return moved === push.CompareURL ? content : JSON.stringify({ ...push, CompareURL: moved });
}

/** Reads the content of an activity of type `commit_repo`, `push_tag` or `mirror_sync_push`. */
export function pushContentOf(content: string): PushContent {
  return JSON.parse(content === '' ? contentWithoutCommits() : content);
}
