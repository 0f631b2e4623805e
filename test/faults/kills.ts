import type { FaultPoint } from '../../src/core/faults.ts';

/** Work on whole repositories next to the clients, until the server is killed. */
export type MaintenanceJob = 'repack' | 'prune' | 'commit-graph' | 'sweep';

/** One way for a server to end without warning. */
export interface Kill {
  readonly name: string;
  /** null: at a random time */
  readonly point: FaultPoint | null;
  /** it ends at one of the first this many passes of the point */
  readonly passMax: number;
  readonly maintenance: readonly MaintenanceJob[];
  /** whether its git processes end with it, as in a power loss */
  readonly takesGit: boolean;
}

/** `forks.test.ts` ends a process there: no client of these trials forks. */
type OfForks = 'after-link' | 'after-fork' | 'before-unstage';

type AtPoint = Readonly<
  Record<Exclude<FaultPoint, OfForks>, { passMax: number; maintenance: readonly MaintenanceJob[] }>
>;

const AT_POINTS: AtPoint = {
  'after-index': { passMax: 4, maintenance: [] },
  'after-objects': { passMax: 8, maintenance: [] },
  'before-commit': { passMax: 8, maintenance: [] },
  'after-commit': { passMax: 8, maintenance: [] },
  'before-mirror': { passMax: 4, maintenance: [] },
  'during-repack': { passMax: 2, maintenance: ['repack', 'commit-graph'] },
  'during-prune': { passMax: 2, maintenance: ['repack', 'prune', 'sweep'] },
};

const EVERYTHING: readonly MaintenanceJob[] = ['repack', 'prune', 'commit-graph', 'sweep'];

export const KILLS: readonly Kill[] = [
  ...Object.entries(AT_POINTS).map(([point, how]) => ({
    name: point,
    point: point as FaultPoint,
    takesGit: false,
    ...how,
  })),
  { name: 'anywhere', point: null, passMax: 0, maintenance: EVERYTHING, takesGit: false },
  { name: 'anywhere, with its git', point: null, passMax: 0, maintenance: EVERYTHING, takesGit: true },
];
