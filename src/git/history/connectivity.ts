import type { Oid } from '../model.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Returns the `tips` whose history is incomplete. Walks from them to the objects that `known` reaches, which count as
 * complete. Checks all tips at once, and only after a failure halves the list until it finds the failing ones.
 */
export async function findDisconnectedTips(
  location: ObjectsLocation,
  tips: readonly Oid[],
  known: readonly Oid[],
): Promise<readonly Oid[]> {
  if (tips.length === 0 || (await isConnected(location, tips, known))) return [];
  if (tips.length === 1) return tips;
  const middle = Math.ceil(tips.length / 2);
  const first = await findDisconnectedTips(location, tips.slice(0, middle), known);
  return [...first, ...(await findDisconnectedTips(location, tips.slice(middle), known))];
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
      { slots: PROCESS_SLOTS.short, input },
    );
    return true;
  } catch (error) {
    // 128: a required object is missing. Other codes mean that the walk itself failed.
    if (error instanceof GitFailedError && error.exitCode === 128) return false;
    throw error;
  }
}
