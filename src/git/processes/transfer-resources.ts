import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FairSlots } from '../../base/core/fair-slots.ts';
import { LIMITS } from '../../base/core/limits.ts';
import type { FileSpace } from '../../base/core/spool/nameless-file.ts';
import type { UnpackedLimits } from '../packs/pack-limits.ts';
import { slotsFor } from './process-slots.ts';

/** What an operator can set. */
export interface TransferSettings {
  /** concurrent git processes that serve fetches */
  readonly fetchSlots: number;
  /** concurrent git processes that index pushed packs */
  readonly pushSlots: number;
  /** how long the server waits for a client that sends or takes less than the minimum rate */
  readonly patienceMs: number;
  /** what the objects of a push may take when git unpacks them */
  readonly unpacked: UnpackedLimits;
}

export function defaultTransferSettings(): TransferSettings {
  const cores = availableParallelism();
  return {
    fetchSlots: LIMITS.fetchSlotsPerCore * cores,
    pushSlots: LIMITS.pushSlotsPerCore * cores,
    patienceMs: LIMITS.transferPatienceMs,
    unpacked: {
      objectBytesMax: LIMITS.pushObjectBytesMax,
      pushBytesMax: LIMITS.pushUnpackedBytesMax,
    },
  };
}

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
    requests: clientSlots('fetches', LIMITS.fetchRequestsAtOnceMax, LIMITS.fetchRequestsPerCallerMax),
    responses: clientSlots('fetches', LIMITS.fetchResponsesAtOnceMax, LIMITS.fetchResponsesPerCallerMax),
    uploads: clientSlots('pushes', LIMITS.uploadsAtOnceMax, LIMITS.uploadsPerCallerMax),
    spools: { folder, room: diskRoom('bytes of fetches', LIMITS.spoolMibMax, LIMITS.spoolMibPerCallerMax) },
    packs: {
      folder,
      room: diskRoom('bytes of pushes', LIMITS.receivedMibMax, LIMITS.receivedMibPerCallerMax),
    },
    sharedBlobs: {
      folder,
      room: diskRoom('bytes of large files', LIMITS.sharedBlobsMibMax, LIMITS.sharedBlobsMibPerCallerMax),
    },
    archives: {
      folder,
      room: diskRoom('bytes of archives', LIMITS.archiveSpoolMibMax, LIMITS.archiveSpoolMibPerCallerMax),
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
    queueMax: LIMITS.gitQueueMax,
    queuePerCallerMax: LIMITS.gitQueuePerCallerMax,
    waitMs: LIMITS.gitQueueWaitMs,
  });
}

/** Each upload waits for at most one turn, which takes milliseconds. */
function inflatingTurns(): FairSlots {
  return new FairSlots({
    what: 'pushes',
    unitsMax: availableParallelism(),
    unitsPerCallerMax: Math.ceil(availableParallelism() / 2),
    unitsForSignedIn: 0,
    queueMax: LIMITS.uploadsAtOnceMax,
    queuePerCallerMax: LIMITS.uploadsPerCallerMax,
    waitMs: LIMITS.gitQueueWaitMs,
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
