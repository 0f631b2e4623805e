import { readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const SESSION = '/proc/self/autogroup';

/**
 * Lets the system prefer other processes to this one and to those that it starts from now on, and other sessions to its
 * own: the clients of a real server run on other machines. Linux often shares the CPU between sessions first, and then
 * between the processes of each, so a server in the session of its clients would wait when they have used its share.
 *
 * @returns a function that ends it
 * @see sched(7), "The autogroup feature"
 */
export function giveWay(): () => void {
  const before = getPriority();
  const lowest = constants.priority.PRIORITY_LOW;
  const sessionBefore = nicenessOfSession();
  setPriority(lowest);
  if (sessionBefore !== undefined) writeFileSync(SESSION, `${lowest}`);
  return () => {
    if (sessionBefore !== undefined) writeFileSync(SESSION, sessionBefore);
    try {
      setPriority(before);
    } catch {
      // Only an administrator may raise a priority. It ends with this process.
    }
  };
}

/** @returns undefined if the system does not share the CPU between sessions */
function nicenessOfSession(): string | undefined {
  try {
    return / nice (-?\d+)/.exec(readFileSync(SESSION, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
