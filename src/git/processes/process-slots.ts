import { FairSlots } from '../../base/core/fair-slots.ts';
import { LIMITS } from '../../base/core/limits.ts';

/** Slots for git processes of one kind. One caller gets at most half of them, and anonymous ones leave a quarter free. */
export function slotsFor(what: string, atOnceMax: number): FairSlots {
  return new FairSlots({
    what,
    unitsMax: atOnceMax,
    unitsPerCallerMax: Math.ceil(atOnceMax / 2),
    unitsForSignedIn: Math.floor(atOnceMax / 4),
    queueMax: LIMITS.gitQueueMax,
    queuePerCallerMax: LIMITS.gitQueuePerCallerMax,
    waitMs: LIMITS.gitQueueWaitMs,
  });
}

/**
 * Slots for each kind of work, so that slow work of one kind does not block another kind. Fetches and pushes have slots
 * of their own: `transfer-resources.ts`.
 */
export const PROCESS_SLOTS = {
  short: slotsFor('git processes', LIMITS.gitChildrenMax),
  /** large files, whether this process reads them or git */
  stream: slotsFor('large files', LIMITS.blobStreamsAtOnceMax),
  archives: slotsFor('archives', LIMITS.archivesBuiltAtOnceMax),
  /** texts of differences, which can take git long */
  diffs: slotsFor('diffs', LIMITS.diffsAtOnceMax),
  /** patches that are being applied */
  patches: slotsFor('patches', LIMITS.patchesAtOnceMax),
  /** steps of building change indexes, which start their own git processes */
  indexing: slotsFor('histories being indexed', LIMITS.historiesIndexedAtOnceMax),
  /** searches of new commits for pointers of git-lfs, with two git processes each */
  pointers: slotsFor('pushes with large files', LIMITS.pointerSearchesAtOnceMax),
  maintenance: slotsFor('maintenance jobs', 1),
} as const;
