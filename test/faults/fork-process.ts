import { armFault, type FaultPoint } from '../../src/core/faults.ts';
import { type DatabaseLocation, openDatabase } from '../../src/database/open.ts';
import { createLocalStorage } from '../../src/git/local-storage.ts';

/** Instructions of the process, as JSON in its only argument. */
export interface ForkRequest {
  readonly location: DatabaseLocation;
  /** of the git storage */
  readonly folder: string;
  readonly parent: number;
  readonly fork: number;
  readonly point: FaultPoint;
}

/** A process that forks a repository and ends midway. */
const { location, folder, parent, fork, point } = JSON.parse(process.argv[2] ?? '') as ForkRequest;
const storage = createLocalStorage({ database: openDatabase(location), folder });
armFault(point, 1);
await storage.fork(parent, { refs: 'all' }, (tx, create) => create(tx, fork));
process.stdout.write('it got past the point\n');
process.exit(1);
