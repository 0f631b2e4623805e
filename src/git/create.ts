import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { FOLDER_MODE } from '../base/core/files/durable-files.ts';
import { type Log, SILENT_LOG } from '../base/core/log.ts';
import type { Database } from '../base/database/database.ts';
import { Engine } from './engine.ts';
import { PlannedMoves } from './fresh/planned-moves.ts';
import { LocalHistory } from './history/local-history.ts';
import type { GitStorage } from './interface/storage.ts';
import type { TransferSettings } from './interface/transfers.ts';
import type { SignCommit } from './interface/writes.ts';
import { GIT_LIMITS } from './limits.ts';
import { LocalUpkeep } from './maintenance/local-upkeep.ts';
import { PRUNE_GRACE_MS } from './maintenance/prune.ts';
import { LocalRefRows } from './refs/ref-rows.ts';
import { LocalTransfers } from './transfers/local-transfers.ts';
import { LocalUnadopted } from './unadopted/local-unadopted.ts';
import { LocalWrites } from './writes/local-writes.ts';

/** The storage with what its parts share, for tests of this wing. */
export interface LocalStorage extends GitStorage {
  readonly engine: Engine;
}

/**
 * Creates the storage of the git data of one machine: refs in the database, objects in bare repositories below `folder`.
 *
 * @param options.folder created if missing; used by one server process at a time
 * @param options.ownsFolder false for a command that may run beside a server: it restores no files that were hidden
 * @param options.signCommit signs the commits that the server makes; absent: they are not signed
 * @param options.transfers settings of fetches and pushes; by default those for this machine
 * @param options.freshMoveMs time after which the objects of a small change become durable as files
 * @param options.pruneGraceMs minimum time for which unreachable objects are kept
 */
export function createLocalStorage(options: {
  database: Database;
  folder: string;
  ownsFolder?: boolean;
  log?: Log;
  pruneGraceMs?: number;
  freshMoveMs?: number;
  transfers?: TransferSettings;
  signCommit?: SignCommit | undefined;
}): LocalStorage {
  mkdirSync(options.folder, { recursive: true, mode: FOLDER_MODE });
  const engine = new Engine({
    database: options.database,
    root: resolve(options.folder),
    log: options.log ?? SILENT_LOG,
    ownsFolder: options.ownsFolder ?? true,
    signCommit: options.signCommit,
    ...(options.transfers === undefined ? {} : { transfers: options.transfers }),
  });
  const { pruneGraceMs = PRUNE_GRACE_MS, freshMoveMs = GIT_LIMITS.freshMoveMs } = options;
  const moves = new PlannedMoves(engine, freshMoveMs);
  return {
    engine,
    refs: new LocalRefRows(engine),
    writes: new LocalWrites(engine, moves),
    history: new LocalHistory(engine),
    upkeep: new LocalUpkeep(engine, moves, { pruneGraceMs }),
    transfers: new LocalTransfers(engine),
    unadopted: new LocalUnadopted(engine),
    close: async () => {
      await moves.close();
      await engine.close();
    },
  };
}
