import { usesClients } from './installed.ts';
import type { DatabaseName } from './options.ts';
import { usesDatabase } from './uses-database.ts';

/** One file on one database. */
export interface Task {
  readonly file: string;
  readonly database: DatabaseName;
}

/**
 * Tests whose outcome does not depend on the database. All tests of such a file check bytes, names, formats, processes or
 * connections, and none of them checks rows, access, or changes that meet. The files that run on each database send every
 * statement that these files send.
 */
const SAME_ON_EACH_DATABASE = [
  ...['tidy', 'core', 'runner', 'docs', 'storage', 'admin'].map((name) => `test/${name}/`),
  ...['editorconfig', 'issue-templates', 'templates'].map((name) => `test/${name}/`),
  'test/app/idle-memory.test.ts',
  'test/code/archives/builds.test.ts',
  'test/code/archives/kept-s3.test.ts',
  'test/code/archives/s3-faults.test.ts',
  'test/code/commits/texts.test.ts',
  'test/code/contents/extended.test.ts',
  'test/code/contents/large-files.test.ts',
  'test/code/contents/large-readers.test.ts',
  'test/code/contents/last-commits.test.ts',
  'test/code/contents/raw.test.ts',
  'test/code/contents/read.test.ts',
  'test/git/changes/changes.test.ts',
  'test/git/history/connectivity.test.ts',
  'test/git/packs/crafted-objects.test.ts',
  'test/git/history/history-walks.test.ts',
  'test/git/changes/list-history.test.ts',
  'test/git/format/object-formats.test.ts',
  'test/git/packs/packs.test.ts',
  'test/git/small-packs.test.ts',
  'test/git/processes/start-process.test.ts',
  'test/git/refs/without-links.test.ts',
  'test/http/bodies.test.ts',
  'test/http/description.test.ts',
  'test/http/framing.test.ts',
  'test/hosting/lfs/gigabyte.test.ts',
  'test/tracker/markdown/render.test.ts',
  'test/notes/notebooks/encodings.test.ts',
  'test/notes/platform/browser.test.ts',
  'test/sdk/decap-cms.test.ts',
  'test/sdk/notes-clients.test.ts',
  'test/threats/commit-headers.test.ts',
  'test/threats/crafted-objects.test.ts',
  'test/threats/git-files.test.ts',
  'test/threats/history-walks.test.ts',
  'test/threats/paths.test.ts',
  'test/threats/transfers.test.ts',
  'test/code/transport/early-indexing.test.ts',
  'test/code/transport/fetch.test.ts',
  'test/code/transport/large.test.ts',
  'test/code/transport/old-slips.test.ts',
  'test/code/transport/real-repositories.test.ts',
  'test/api/document/api-document.test.ts',
];

/**
 * Tests of crashes, of memory, and of copies between file systems. They write to a disk, each file in a process of its
 * own.
 */
const ON_DISK = [
  'test/faults/',
  'test/storage/',
  'test/git/forks.test.ts',
  'test/hosting/lfs/gigabyte.test.ts',
];

/**
 * Tests of what a process loads and remembers: its modules, and the statements that it prepares. No other file may run
 * before them in their process.
 */
const FRESH = ['test/http/startup.test.ts', 'test/base/database/prepared.test.ts'];

/**
 * The files that take longest. They start first on their database, so that the run does not end with one of them alone.
 * Some of them mostly wait, which leaves a processor to what `.ci/run` installs at the beginning.
 */
const LONGEST = [
  'test/faults/faults.test.ts',
  'test/app/idle-memory.test.ts',
  'test/hosting/mirrors/migrations.test.ts',
  'test/api/access/matrix.test.ts',
  'test/hosting/mirrors/kills.test.ts',
  'test/code/transport/large.test.ts',
  'test/tracker/imports/family.test.ts',
  'test/threats/transfers.test.ts',
  'test/code/archives/builds.test.ts',
  'test/app/commands.test.ts',
  'test/code/transport/fetch.test.ts',
  'test/code/contents/last-commits.test.ts',
  'test/code/transport/push.test.ts',
];

/** Whether a file runs on each database, not only on the first one. */
function runsOnEach(file: string): boolean {
  return !SAME_ON_EACH_DATABASE.some((start) => file.startsWith(start)) && usesDatabase(file);
}

export function isOnDisk(file: string): boolean {
  return ON_DISK.some((folder) => file.startsWith(folder));
}

export function isAlone(file: string): boolean {
  return [...ON_DISK, ...FRESH].some((start) => file.startsWith(start));
}

/**
 * Lists what a run does, in its order: one database after the other, because files on different databases share no process.
 * On the first one, files that use installed clients come last, because `.ci/run` installs these meanwhile. On another one
 * they come before the many short files, so that the run does not end with one of them alone.
 */
export function tasksOf(files: readonly string[], databases: readonly DatabaseName[]): Task[] {
  const withClients = files.filter(usesClients);
  const long = LONGEST.filter((file) => files.includes(file) && !withClients.includes(file));
  const others = files.filter((file) => !long.includes(file) && !withClients.includes(file));
  return databases.flatMap((database, index) => {
    const ordered =
      index === 0
        ? [...long, ...others, ...withClients]
        : [...long, ...withClients, ...others].filter(runsOnEach);
    return ordered.map((file) => ({ file, database }));
  });
}
