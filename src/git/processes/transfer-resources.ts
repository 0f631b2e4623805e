import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { FileSpace } from '../../base/core/spool/nameless-file.ts';
import type { TransferSettings } from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { slotsFor } from './process-slots.ts';

/**
 * What fetches and pushes share. A client holds a slot for a git process only while the process works, not while the
 * client sends or reads: what it sends is received first, and what it has not read yet is spooled. A pack that arrives
 * quickly may borrow a slot that no other work needs.
 */
export interface TransferResources {
  readonly settings: TransferSettings;
  /** for processes that serve fetches */
  readonly fetch: FairSlots;
  /** for processes that index pushed packs */
  readonly index: FairSlots;
  /** turns for inflating the large objects of pushes, which shares threads with all work on files */
  readonly inflating: FairSlots;
  /** for requests of fetches that are being received */
  readonly requests: FairSlots;
  /** for responses to fetches, until their clients have read them */
  readonly responses: FairSlots;
  /** for pushes that are being received */
  readonly uploads: FairSlots;
  /** for requests and responses of fetches */
  readonly spools: FileSpace;
  /** for received packs until they are indexed */
  readonly packs: FileSpace;
  /** for large files that several clients read */
  readonly sharedBlobs: FileSpace;
  /** for archives that are being built or read */
  readonly archives: FileSpace;
}

/** @param root folder for all repositories; temporary files are in a folder below it */
export function transferResources(root: string, settings: TransferSettings): TransferResources {
  const folder = join(root, 'spool');
  return {
    settings,
    fetch: slotsFor('fetches', settings.fetchSlots),
    index: slotsFor('pushes', settings.pushSlots),
    inflating: inflatingTurns(),
    requests: clientSlots('fetches', GIT_LIMITS.fetchRequestsAtOnceMax, GIT_LIMITS.fetchRequestsPerCallerMax),
    responses: clientSlots(
      'fetches',
      GIT_LIMITS.fetchResponsesAtOnceMax,
      GIT_LIMITS.fetchResponsesPerCallerMax,
    ),
    uploads: clientSlots('pushes', GIT_LIMITS.uploadsAtOnceMax, GIT_LIMITS.uploadsPerCallerMax),
    spools: {
      folder,
      room: diskRoom('bytes of fetches', GIT_LIMITS.spoolMibMax, GIT_LIMITS.spoolMibPerCallerMax),
    },
    packs: {
      folder,
      room: diskRoom('bytes of pushes', GIT_LIMITS.receivedMibMax, GIT_LIMITS.receivedMibPerCallerMax),
    },
    sharedBlobs: {
      folder,
      room: diskRoom(
        'bytes of large files',
        GIT_LIMITS.sharedBlobsMibMax,
        GIT_LIMITS.sharedBlobsMibPerCallerMax,
      ),
    },
    archives: {
      folder,
      room: diskRoom(
        'bytes of archives',
        GIT_LIMITS.archiveSpoolMibMax,
        GIT_LIMITS.archiveSpoolMibPerCallerMax,
      ),
    },
  };
}

/** Slots for work that takes as long as its client. */
function clientSlots(what: string, atOnceMax: number, perCallerMax: number): FairSlots {
  return new FairSlots({
    what,
    unitsMax: atOnceMax,
    unitsPerCallerMax: perCallerMax,
    unitsForSignedIn: Math.floor(atOnceMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
}

/** Each upload waits for at most one turn, which takes milliseconds. */
function inflatingTurns(): FairSlots {
  return new FairSlots({
    what: 'pushes',
    unitsMax: availableParallelism(),
    unitsPerCallerMax: Math.ceil(availableParallelism() / 2),
    unitsForSignedIn: 0,
    queueMax: GIT_LIMITS.uploadsAtOnceMax,
    queuePerCallerMax: GIT_LIMITS.uploadsPerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
}

function diskRoom(what: string, mibMax: number, mibPerCallerMax: number): FairSlots {
  return new FairSlots({
    what,
    unitsMax: mibMax,
    unitsPerCallerMax: mibPerCallerMax,
    unitsForSignedIn: Math.floor(mibMax / 4),
    queueMax: 0,
    queuePerCallerMax: 0,
    waitMs: 0,
  });
}
