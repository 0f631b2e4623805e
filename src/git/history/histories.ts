import { PassThrough, pipeline } from 'node:stream';
import { ForgeError, invalid, notFound } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Engine } from '../engine.ts';
import type { Apart, CommitOf, Oid, Snapshot, WriteSession } from '../model.ts';
import { type GitCommand, type GitRun, runGit, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/** A folder for git children that see the objects of one repository and, for this once, those of another one. */
type SharedObjects = Pick<GitCommand, 'gitDir' | 'alsoReads'>;

async function sharedObjects(engine: Engine, one: Snapshot, other: Snapshot): Promise<SharedObjects> {
  if (one.objectFormat !== other.objectFormat) {
    throw invalid('the two repositories name their objects by different hashes');
  }
  const { path: gitDir } = await engine.ensureFolder(one.id, one.objectFormat);
  if (other.id === one.id) return { gitDir };
  const { objects } = await engine.ensureFolder(other.id, other.objectFormat);
  return { gitDir, alsoReads: [objects] };
}

/** @see git-rev-list(1), --left-right */
export async function countBetween(engine: Engine, base: CommitOf, head: CommitOf): Promise<Apart> {
  await Promise.all([base, head].map(requireCommit));
  const location = await sharedObjects(engine, head.snapshot, base.snapshot);
  const args = ['rev-list', '--count', '--left-right', '--stdin'];
  const { stdout } = await walk({ args, ...location }, `${base.oid}...${head.oid}\n`);
  const [behind = 0, ahead = 0] = stdout.toString().trim().split('\t').map(Number);
  return { behind, ahead };
}

/** @see git-merge-base(1), --is-ancestor */
export async function isAncestor(engine: Engine, ancestor: CommitOf, descendant: CommitOf): Promise<boolean> {
  await Promise.all([ancestor, descendant].map(requireCommit));
  const location = await sharedObjects(engine, descendant.snapshot, ancestor.snapshot);
  const args = ['merge-base', '--is-ancestor', ancestor.oid, descendant.oid];
  try {
    await walk({ args, ...location });
    return true;
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === 1) return false;
    throw error;
  }
}

/** @throws ForgeError `not_found`; so what git is told is an id and nothing else */
async function requireCommit({ snapshot, oid }: CommitOf): Promise<void> {
  const info = await snapshot.objects.info(oid);
  if (info?.type !== 'commit') throw notFound(`no commit ${oid}`);
}

async function walk(command: GitCommand, input?: string) {
  const run: GitRun = { slots: PROCESS_SLOTS.short, deadlineMs: LIMITS.historyWalkMs };
  try {
    return await runGit(command, { ...run, input: input ?? '' });
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.exitCode !== null) throw error;
    const what = 'these histories take too long to compare';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
  }
}

/** What `tips` of another repository reach and `known` of this one do not, from one git child to the next. */
export async function takeObjects(
  engine: Engine,
  session: WriteSession,
  wanted: { other: Snapshot; tips: readonly Oid[]; known: readonly Oid[] },
): Promise<void> {
  const { other, tips, known } = wanted;
  for (const oid of tips) {
    if ((await other.objects.info(oid)) === undefined) throw notFound(`no object ${oid}`);
  }
  const location = await sharedObjects(engine, session.base, other);
  const args = ['pack-objects', '-q', '--revs', '--stdout', '--thin', '--delta-base-offset'];
  const settings = ['pack.threads=2', 'pack.windowMemory=128m'];
  const child = await startGit({ args, settings, ...location }, { slots: PROCESS_SLOTS.fetch });
  // Read from the start: what a child has said before it ended is dropped where nobody listens.
  const pack = new PassThrough();
  pipeline(child.stdout, pack, () => {});
  child.stdin.end([...tips, ...known.map((oid) => `^${oid}`), ''].join('\n'));
  const refusal = await session.ingestPack(pack, { bytesMax: LIMITS.pushPackBytesMax }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const hasMore = !child.stdout.readableEnded && !child.stdout.destroyed;
  if (hasMore) child.end();
  const exit = await child.done;
  // A pack that ended early is refused, and why it did is what matters.
  if (!hasMore && exit.exitCode !== 0) throw new GitFailedError('pack-objects', exit);
  if (refusal !== undefined) throw refusal;
}
