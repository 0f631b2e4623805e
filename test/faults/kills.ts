import type { FaultPoint } from '../../src/base/core/faults.ts';

/** Maintenance that the server repeats until it is killed, concurrently with the clients. */
export type MaintenanceJob = 'repack' | 'prune' | 'commit-graph' | 'sweep';

/** One way for a server to end without warning. */
export interface Kill {
  readonly name: string;
  /** null: at a random time */
  readonly point: FaultPoint | null;
  /** the server is killed at a random pass of the point, from the first to this one */
  readonly passMax: number;
  readonly maintenance: readonly MaintenanceJob[];
  /** whether its git processes are killed too, as in a power loss */
  readonly killsGit: boolean;
}

/**
 * Points that no client here passes. `forks.test.ts` tests the points of a fork, `test/code/archives/` the point of the
 * object store, `test/hosting/lfs/` and `test/tracker/issues/` the points of files with rows, and `test/hosting/mirrors/` the
 * points of migrations.
 */
type OtherPoint =
  | 'after-link'
  | 'after-fork'
  | 'before-unstage'
  | 'after-upload-begin'
  | 'after-upload-part'
  | 'before-object'
  | 'after-object'
  | 'before-lfs-join'
  | 'before-file-link'
  | 'after-file-link'
  | 'after-file-doom'
  | 'after-file-delete'
  | 'after-migration-request'
  | 'after-migration-take'
  | 'after-migration-begin'
  | 'before-migration-settle';

type AtPoint = Readonly<
  Record<Exclude<FaultPoint, OtherPoint>, { passMax: number; maintenance: readonly MaintenanceJob[] }>
>;

const AT_POINTS: AtPoint = {
  'after-index': { passMax: 4, maintenance: [] },
  'after-objects': { passMax: 8, maintenance: [] },
  'before-commit': { passMax: 8, maintenance: [] },
  'after-commit': { passMax: 8, maintenance: [] },
  'after-files': { passMax: 3, maintenance: ['repack'] },
  // A fetch passes it once, and ends only while the other clients rest, because its git gives way.
  'before-mirror': { passMax: 2, maintenance: ['sweep'] },
  'during-repack': { passMax: 2, maintenance: ['repack', 'commit-graph'] },
  // A prune leaves nothing for the next one until new objects are old enough, which takes half a minute.
  'during-prune': { passMax: 1, maintenance: ['repack', 'prune', 'sweep'] },
};

const EVERYTHING: readonly MaintenanceJob[] = ['repack', 'prune', 'commit-graph', 'sweep'];

export const KILLS: readonly Kill[] = [
  ...Object.entries(AT_POINTS).map(([point, how]) => ({
    name: point,
    point: point as FaultPoint,
    killsGit: false,
    ...how,
  })),
  { name: 'anywhere', point: null, passMax: 0, maintenance: EVERYTHING, killsGit: false },
  { name: 'anywhere, with its git', point: null, passMax: 0, maintenance: EVERYTHING, killsGit: true },
];
