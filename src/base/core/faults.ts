/**
 * Named points in a write at which a test can end the process, to prove that the disk then holds the old state or the
 * new one. Without a test, a point costs one comparison.
 */
export const FAULT_POINTS = [
  'after-index',
  'after-objects',
  'before-commit',
  'after-commit',
  'after-files',
  'before-mirror',
  'during-repack',
  'during-prune',
  'after-link',
  'after-fork',
  'before-unstage',
  'after-upload-begin',
  'after-upload-part',
  'before-object',
  'after-object',
  'before-lfs-join',
  'before-file-link',
  'after-file-link',
  'after-file-doom',
  'after-file-delete',
  'after-migration-request',
  'after-migration-take',
  'after-migration-begin',
  'before-migration-settle',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

let armed: { readonly point: FaultPoint; passesLeft: number } | null = null;

/** Ends this process with SIGKILL when it reaches `point` for the `pass`-th time (1 is the first). */
export function armFault(point: FaultPoint, pass: number): void {
  armed = { point, passesLeft: pass };
}

export function isFaultPoint(name: string): name is FaultPoint {
  return (FAULT_POINTS as readonly string[]).includes(name);
}

export function faultPoint(point: FaultPoint): void {
  if (armed === null || armed.point !== point) return;
  armed.passesLeft -= 1;
  if (armed.passesLeft === 0) process.kill(process.pid, 'SIGKILL');
}
