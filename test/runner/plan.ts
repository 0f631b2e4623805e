/** Folders of tests that open no database: they run on the first database only. */
const WITHOUT_DATABASE = ['test/tidy/', 'test/core/', 'test/runner/', 'test/docs/'];

/**
 * Tests of crashes, of memory, and of copies between file systems. They write to a disk, each file in a process of its
 * own.
 */
const ON_DISK = ['test/faults/', 'test/storage/', 'test/git/forks.test.ts'];

/** Looks for modules that the process has loaded, so no other file may run before it in its process. */
const FRESH = ['test/http/startup.test.ts'];

/** The files that take longest. They start first, so that a pass does not end with one of them alone. */
const LONGEST = [
  'test/faults/faults.test.ts',
  'test/access/matrix.test.ts',
  'test/transport/large.test.ts',
  'test/app/commands.test.ts',
  'test/transport/fetch.test.ts',
  'test/contents/last-commits.test.ts',
  'test/transport/push.test.ts',
];

export function usesDatabase(file: string): boolean {
  return !WITHOUT_DATABASE.some((folder) => file.startsWith(folder));
}

export function isOnDisk(file: string): boolean {
  return ON_DISK.some((folder) => file.startsWith(folder));
}

export function isAlone(file: string): boolean {
  return [...ON_DISK, ...FRESH].some((start) => file.startsWith(start));
}

export function longestFirst(files: readonly string[]): string[] {
  const long = LONGEST.filter((file) => files.includes(file));
  return [...long, ...files.filter((file) => !long.includes(file))];
}
