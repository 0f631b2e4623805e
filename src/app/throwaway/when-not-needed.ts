import { fstatSync } from 'node:fs';
import { THROWAWAY_LIMITS } from './limits.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Waits until a throwaway server is no longer needed: its standard input closes, the process that started it ends, or a
 * signal arrives. A second signal ends the process at once.
 */
export function whenNotNeeded(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const looking = setInterval(() => {
      // A process without a parent gets another one.
      if (process.ppid !== parent) end();
    }, THROWAWAY_LIMITS.parentCheckedEveryMs);
    const end = () => {
      clearInterval(looking);
      process.stdin.destroy();
      resolve();
    };
    for (const signal of SIGNALS)
      process.once(signal, () => {
        end();
        for (const again of SIGNALS) process.once(again, () => process.exit(1));
      });
    if (isConnected()) {
      // The operating system closes a pipe when its other side ends, in whatever way.
      process.stdin.on('end', end).on('close', end).on('error', end).resume();
    }
  });
}

/** Whether standard input is a pipe or a socket. A terminal, a file or `/dev/null` says nothing about the parent. */
function isConnected(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
