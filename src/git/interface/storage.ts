import type { History } from './history.ts';
import type { RefRows } from './refs.ts';
import type { Transfers } from './transfers.ts';
import type { UnadoptedRepositories } from './unadopted.ts';
import type { Upkeep } from './upkeep.ts';
import type { Writes } from './writes.ts';

/**
 * The only access to git data. A feature names the parts that it needs: `Pick<GitStorage, 'refs' | 'history'>`. Refs and
 * HEAD are rows; where the objects are is known only to the implementation, so no method returns a folder.
 */
export interface GitStorage {
  readonly refs: RefRows;
  readonly writes: Writes;
  readonly history: History;
  readonly upkeep: Upkeep;
  readonly transfers: Transfers;
  readonly unadopted: UnadoptedRepositories;
  /** Ends all work. The storage may not be used afterwards. */
  close(): Promise<void>;
}
