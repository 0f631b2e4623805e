import { fstatSync } from 'node:fs';
import { THROWAWAY_LIMITS } from './limits.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface Need {
  /** Resolves when the server is no longer needed. */
  readonly ended: Promise<void>;
  /** Stops looking, so that the process can end. */
  forget(): void;
}

/**
 * Looks whether a throwaway server is still needed. It is not if its standard input closes, if the process that started it
 * ends, or if a signal arrives. A second signal ends the process at once.
 */
export function watchNeed(): Need {
  const parent = process.ppid;
  const { promise, resolve } = Promise.withResolvers<void>();
  const looking = setInterval(() => {
    // A process without a parent gets another one.
    if (process.ppid !== parent) end();
  }, THROWAWAY_LIMITS.parentCheckedEveryMs);
  const forget = () => {
    clearInterval(looking);
    process.stdin.destroy();
  };
  const end = () => {
    forget();
    resolve();
  };
  for (const signal of SIGNALS)
    process.once(signal, () => {
      end();
      for (const again of SIGNALS) process.once(again, () => process.exit(1));
    });
  // The operating system closes a pipe when its other side ends, in whatever manner.
  if (isConnected()) process.stdin.on('end', end).on('close', end).on('error', end).resume();
  return { ended: promise, forget };
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
