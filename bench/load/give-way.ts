import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const SESSION = '/proc/self/autogroup';

/**
 * Until this process ends, lets the system prefer other processes to it and to those that it starts from now on, and other
 * sessions to its own: the clients of a real server run on other machines. Linux often shares the CPU between sessions
 * first, and then between the processes of each, so a server in the session of its clients would wait when they have used
 * its share.
 *
 * @see sched(7), "The autogroup feature"
 */
export function giveWay(): void {
  const lowest = constants.priority.PRIORITY_LOW;
  setPriority(lowest);
  const before = nicenessOfSession();
  if (before === undefined) return;
  writeFileSync(SESSION, `${lowest}`);
  // The session may be that of a terminal.
  process.once('exit', () => writeFileSync(SESSION, before));
}

/** @returns undefined if the system does not share the CPU between sessions */
function nicenessOfSession(): string | undefined {
  try {
    return / nice (-?\d+)/.exec(readFileSync(SESSION, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
