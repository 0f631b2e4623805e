import type { FaultPoint } from '../../src/core/faults.ts';

/** Work on whole repositories next to the clients, until the server is killed. */
export type Upkeep = 'repack' | 'prune' | 'commit-graph' | 'sweep';

/** One way for a server to end without warning. */
export interface Kill {
  readonly name: string;
  /** null: at a random time */
  readonly point: FaultPoint | null;
  /** it ends at one of the first this many passes of the point */
  readonly passMax: number;
  readonly upkeep: readonly Upkeep[];
  /** whether its git processes end with it, as in a power loss */
  readonly takesGit: boolean;
}

/** `forks.test.ts` ends a process there: no client of these trials forks. */
type OfForks = 'after-link' | 'after-fork' | 'before-unstage';

type AtPoint = Readonly<Record<Exclude<FaultPoint, OfForks>, { passMax: number; upkeep: readonly Upkeep[] }>>;

const AT_POINTS: AtPoint = {
  'after-index': { passMax: 4, upkeep: [] },
  'after-objects': { passMax: 8, upkeep: [] },
  'before-commit': { passMax: 8, upkeep: [] },
  'after-commit': { passMax: 8, upkeep: [] },
  'before-mirror': { passMax: 4, upkeep: [] },
  'during-repack': { passMax: 2, upkeep: ['repack', 'commit-graph'] },
  'during-prune': { passMax: 2, upkeep: ['repack', 'prune', 'sweep'] },
};

const EVERYTHING: readonly Upkeep[] = ['repack', 'prune', 'commit-graph', 'sweep'];

export const KILLS: readonly Kill[] = [
  ...Object.entries(AT_POINTS).map(([point, how]) => ({
    name: point,
    point: point as FaultPoint,
    takesGit: false,
    ...how,
  })),
  { name: 'anywhere', point: null, passMax: 0, upkeep: EVERYTHING, takesGit: false },
  { name: 'anywhere, with its git', point: null, passMax: 0, upkeep: EVERYTHING, takesGit: true },
];
