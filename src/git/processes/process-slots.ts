import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { GIT_LIMITS } from '../limits.ts';

/** Slots for git processes of one kind. One caller gets at most half of them, and anonymous ones leave a quarter free. */
export function slotsFor(what: string, atOnceMax: number): FairSlots {
  return new FairSlots({
    what,
    unitsMax: atOnceMax,
    unitsPerCallerMax: Math.ceil(atOnceMax / 2),
    unitsForSignedIn: Math.floor(atOnceMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
}

/**
 * Slots for each kind of work, so that slow work of one kind does not block another kind. Fetches and pushes have slots
 * of their own: `transfer-resources.ts`.
 */
export const PROCESS_SLOTS = {
  short: slotsFor('git processes', GIT_LIMITS.gitChildrenMax),
  /** large files, whether this process reads them or git */
  stream: slotsFor('large files', GIT_LIMITS.blobStreamsAtOnceMax),
  archives: slotsFor('archives', GIT_LIMITS.archivesBuiltAtOnceMax),
  /** texts of differences, which can take git long */
  diffs: slotsFor('diffs', GIT_LIMITS.diffsAtOnceMax),
  /** searches through the files of a commit */
  searches: slotsFor('code searches', GIT_LIMITS.codeSearchesAtOnceMax),
  /** patches that are being applied */
  patches: slotsFor('patches', GIT_LIMITS.patchesAtOnceMax),
  /** merges of trees in which both sides have changed a path */
  merges: slotsFor('merges', GIT_LIMITS.mergesAtOnceMax),
  /** steps of building change indexes, which start their own git processes */
  indexing: slotsFor('histories being indexed', GIT_LIMITS.historiesIndexedAtOnceMax),
  /** searches of new commits for pointers of git-lfs, with two git processes each */
  pointers: slotsFor('pushes with large files', GIT_LIMITS.pointerSearchesAtOnceMax),
  maintenance: slotsFor('maintenance jobs', 1),
} as const;
