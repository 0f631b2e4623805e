import { availableParallelism } from 'node:os';
import { type ForgeError, invalid } from '../../base/core/failure.ts';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import type { Broadcast } from '../../base/core/spool/broadcast.ts';
import type { Received } from '../../base/core/spool/received.ts';
import type { Spool } from '../../base/core/spool/spool.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { CommitOf, RepositoryId, Snapshot } from './snapshot.ts';
import type { UnpackedLimits } from './writes.ts';

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
    fetchSlots: GIT_LIMITS.fetchSlotsPerCore * cores,
    pushSlots: GIT_LIMITS.pushSlotsPerCore * cores,
    patienceMs: GIT_LIMITS.transferPatienceMs,
    unpacked: {
      objectBytesMax: GIT_LIMITS.pushObjectBytesMax,
      pushBytesMax: GIT_LIMITS.pushUnpackedBytesMax,
    },
  };
}

/** One request of a git client for refs or objects. */
export interface FetchRequest {
  /** sends the refs (in protocol 2, the capabilities) instead of answering `input` */
  readonly advertise: boolean;
  /** the client's unchanged Git-Protocol header */
  readonly protocol?: string | undefined;
  /** a complete request; in a conversation, all that the client sends while git answers */
  readonly input?: AsyncIterable<Uint8Array>;
  /** whether git lists its refs and then talks to the client, as in the older protocols over SSH */
  readonly isConversation?: boolean;
  /** fires when the response is sent or its client has left */
  readonly signal: AbortSignal;
}

export interface FetchAnswer {
  /** fails with the reason of the signal */
  readonly output: Spool;
  /** resolves when git has ended; never rejects. `exitCode` is null if a signal ended it */
  readonly done: Promise<{ readonly exitCode: number | null; readonly stderr: string }>;
}

/** A part of the history of a repository. */
export interface ObjectRange {
  readonly tips: readonly Oid[];
  /** objects of the repository; what they reach is left out */
  readonly without: readonly Oid[];
}

export interface PackOptions {
  /** has deltas against objects that are left out */
  readonly isThin: boolean;
  /** names the bases of deltas by their positions, which takes fewer bytes */
  readonly hasOffsets: boolean;
  readonly signal: AbortSignal;
}

export type ArchiveFormat = 'zip' | 'tar.gz' | 'bundle';

export interface ArchiveOptions {
  readonly format: ArchiveFormat | 'tar';
  /** what the name of each file begins with, such as the folder that has all files; a bundle has none */
  readonly prefix: string;
  /** the files of the commit that the archive has; absent: all */
  readonly paths?: readonly string[];
  /** how much to compress, from 0 to 9; absent: the usual way of the format */
  readonly level?: number | undefined;
  /** ends git */
  readonly signal: AbortSignal;
}

/** The error for a commit from which the server builds no archive. */
export function tooLargeForArchive(cause?: unknown): ForgeError {
  return invalid('this commit is too large for an archive: clone the repository instead', { cause });
}

/**
 * Moves the objects of repositories to clients and other servers, and their bytes to this one. Slots and the disk space
 * of temporary files bound what all transfers use together.
 */
export interface Transfers {
  readonly settings: TransferSettings;
  /** for pushes that are being received, from clients and from other servers */
  readonly uploads: Pick<FairSlots, 'enter' | 'run'>;
  /**
   * Receives the request of a fetch completely before git starts to work on it. The caller disposes of it.
   *
   * @param fill appends the bytes
   * @throws ForgeError `busy`, and the errors of `fill`
   */
  receiveRequest(fill: (request: Received) => Promise<void>): Promise<Received>;
  /**
   * Answers a request of a fetch from the repository as it is now. The client counts as a reader until `signal` fires.
   *
   * @throws ForgeError `not_found`, `busy`; the reason of the signal
   */
  serveFetch(id: RepositoryId, request: FetchRequest): Promise<FetchAnswer>;
  /** Reads and discards what a push still sends. Does nothing after a pack that was read to its end. */
  discardRest(pack: AsyncIterable<Buffer>): Promise<void>;
  /**
   * Yields a pack of the objects of a range.
   *
   * @throws ForgeError `busy`; the reason of the signal
   */
  packOf(snapshot: Snapshot, range: ObjectRange, options: PackOptions): AsyncIterable<Uint8Array>;
  /**
   * Yields the contents of the blobs in a range, each once.
   *
   * @param options.bytesMax leaves out larger blobs
   * @throws ForgeError `busy`
   */
  newBlobs(snapshot: Snapshot, range: ObjectRange, options: { bytesMax: number }): AsyncIterable<Uint8Array>;
  /**
   * Yields an archive of the files of a commit, or a bundle of its history, while git writes it.
   *
   * @throws ForgeError `invalid` if the commit is too large for the memory and time of an archive, `busy`; the reason of
   *   the signal
   */
  archive(commit: CommitOf, options: ArchiveOptions): AsyncIterable<Buffer>;
  /**
   * Returns room for the bytes of an archive that several clients read while it is built.
   *
   * @param options.noticeBytes the readers notice new bytes when there are this many
   */
  newArchiveBytes(options: { noticeBytes: number }): Broadcast;
}
