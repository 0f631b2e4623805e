import { PassThrough, pipeline } from 'node:stream';
import { notFound } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import type { WriteSession } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { sharedObjects } from './shared-objects.ts';

type Needs = Pick<Engine, 'completeFolder' | 'transfers'>;

/** Pipes objects that `tips` of another repository reach and `known` of this one do not between two git children. */
export async function copyObjects(
  engine: Needs,
  session: WriteSession,
  wanted: { other: Snapshot; tips: readonly Oid[]; known: readonly Oid[] },
): Promise<void> {
  const { other, tips, known } = wanted;
  for (const oid of tips) {
    if ((await other.objects.info(oid)) === undefined) throw notFound(`object ${oid}`);
  }
  const location = await sharedObjects(engine, session.base, other);
  const args = ['pack-objects', '-q', '--revs', '--stdout', '--thin', '--delta-base-offset'];
  const settings = ['pack.threads=2', 'pack.windowMemory=128m'];
  const child = await startGit(
    { args, settings, ...location },
    { slots: engine.transfers.fetch, hasLowPriority: true },
  );
  // Reads from the start, because output that arrives before a reader exists is lost when the child ends.
  const pack = new PassThrough();
  pipeline(child.stdout, pack, () => {});
  child.stdin.end([...tips, ...known.map((oid) => `^${oid}`), ''].join('\n'));
  const rejection = await session.ingestPack(pack, { bytesMax: GIT_LIMITS.pushPackBytesMax }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const hasMore = !child.stdout.readableEnded && !child.stdout.destroyed;
  if (hasMore) child.end();
  const exit = await child.done;
  // A pack that ends early is rejected. The failure of its sender is the more useful error.
  if (!hasMore && exit.exitCode !== 0) throw new GitFailedError('pack-objects', exit);
  if (rejection !== undefined) throw rejection;
}
