import { writeFile } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A process gets nine times the CPU of one whose niceness is larger by this. */
const NICER_BY = 10;
const NICENESS_MAX = 19;

/**
 * Lets the system prefer other processes, above all this server, to a child and to what the child starts. Linux may share
 * the CPU between sessions instead of processes. It then ignores the priorities of processes in different sessions, so
 * this lowers the priority of the child's session, too. A system that does neither changes nothing.
 *
 * @param pid a child that leads a session
 * @see sched(7), "The autogroup feature"; setpriority(2)
 */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + NICER_BY, NICENESS_MAX));
  } catch {
    // It has ended.
    return;
  }
  if (process.platform === 'linux') writeFile(`/proc/${pid}/autogroup`, `${NICER_BY}`, () => {});
}
