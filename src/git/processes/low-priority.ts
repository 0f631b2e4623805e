import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { StartedProcess } from './model.ts';

/** A process gets nine times the CPU of one whose niceness is larger by this. */
const NICER_BY = 10;
const NICENESS_MAX = 19;
/** Linux lets other users than root change one session each 100 ms. */
const AGAIN_MS = 120;

/**
 * Lets the system prefer other processes, above all this server, to a child and to what the child starts. Linux may share
 * the CPU between sessions instead of processes. It then ignores the priorities of processes in different sessions, so
 * this lowers the priority of the child's session, too, which may take a moment when several start at once. A system that
 * does neither changes nothing.
 *
 * @param child the leader of a session
 * @see sched(7), "The autogroup feature"; setpriority(2)
 */
export function lowerPriority(child: StartedProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const niceness = Math.min(getPriority() + NICER_BY, NICENESS_MAX);
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended.
    return;
  }
  if (process.platform === 'linux') lowerSession(child, niceness);
}

function lowerSession(child: StartedProcess, niceness: number): void {
  // Its number may belong to another process by now.
  if (child.hasExited()) return;
  try {
    // Without waiting for a thread, because the child has as much of the CPU as the server until then.
    writeFileSync(`/proc/${child.pid}/autogroup`, `${niceness}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN')
      setTimeout(() => lowerSession(child, niceness), AGAIN_MS).unref();
  }
}
