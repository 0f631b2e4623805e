import { armFault, type FaultPoint } from '../../src/base/core/faults.ts';
import { type DatabaseLocation, openDatabase } from '../../src/base/database/open.ts';
import { createLocalStorage } from '../../src/git/create.ts';

/** The only argument of the process, as JSON. */
export interface ForkRequest {
  readonly location: DatabaseLocation;
  /** of the git storage */
  readonly folder: string;
  readonly parent: number;
  readonly fork: number;
  readonly point: FaultPoint;
}

/** Forks a repository and is killed at a fault point. */
const { location, folder, parent, fork, point } = JSON.parse(process.argv[2] ?? '') as ForkRequest;
const storage = createLocalStorage({ database: openDatabase(location), folder });
armFault(point, 1);
await storage.writes.fork(parent, { refs: 'all' }, (tx, create) => create(tx, fork));
process.stdout.write(`the process was not killed at ${point}\n`);
process.exit(1);
