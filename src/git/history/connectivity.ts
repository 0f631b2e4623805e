import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Returns the `tips` whose history is incomplete. Walks from them to the objects that `known` reaches, which count as
 * complete. Checks all tips at once, and only after a failure halves the list to find the failing ones. After a bounded
 * number of walks, tips that are still in doubt count as incomplete.
 *
 * @param tips objects that exist
 */
export async function findDisconnectedTips(
  location: ObjectsLocation,
  tips: readonly Oid[],
  known: readonly Oid[],
): Promise<readonly Oid[]> {
  const disconnected: Oid[] = [];
  const groups = tips.length === 0 ? [] : [tips];
  for (let walks = 0; walks < GIT_LIMITS.connectivityWalksMax; walks += 1) {
    const group = groups.shift();
    if (group === undefined) break;
    if (await isConnected(location, group, known)) continue;
    if (group.length === 1) disconnected.push(...group);
    else groups.push(...halves(group));
  }
  return [...disconnected, ...groups.flat()];
}

function halves(tips: readonly Oid[]): [readonly Oid[], readonly Oid[]] {
  const middle = Math.ceil(tips.length / 2);
  return [tips.slice(0, middle), tips.slice(middle)];
}

async function isConnected(
  location: ObjectsLocation,
  tips: readonly Oid[],
  known: readonly Oid[],
): Promise<boolean> {
  const input = [...tips, ...known.map((oid) => `^${oid}`), ''].join('\n');
  try {
    await runGit(
      { args: ['rev-list', '--objects', '--quiet', '--stdin'], ...location },
      { slots: PROCESS_SLOTS.short, input, signal: currentCaller().left, hasLowPriority: true },
    );
    return true;
  } catch (error) {
    // 128: a required object is missing. Other codes mean that the walk itself failed.
    if (error instanceof GitFailedError && error.exitCode === 128) return false;
    throw error;
  }
}
