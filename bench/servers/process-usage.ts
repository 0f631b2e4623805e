import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

interface ProcessStat {
  readonly parent: number;
  /** of the process and of the ended children that it has waited for */
  readonly cpuMs: number;
  readonly endedChildrenCpuMs: number;
}

export const CAN_READ_USAGE = existsSync('/proc/self/stat');

const MS_PER_TICK = CAN_READ_USAGE ? 1000 / Number(execFileSync('getconf', ['CLK_TCK'])) : Number.NaN;

/** @see proc(5), /proc/pid/stat: fields 4 (ppid) and 14 to 17 (utime, stime, cutime, cstime) */
function readStat(pid: number | 'self'): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may contain any character. It ends at the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (index: number) => Number(fields[index]);
    return {
      parent: ticks(1),
      cpuMs: (ticks(11) + ticks(12) + ticks(13) + ticks(14)) * MS_PER_TICK,
      endedChildrenCpuMs: (ticks(13) + ticks(14)) * MS_PER_TICK,
    };
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}

/** Returns the CPU time of a process and of all its children, running or ended, ms. */
export function cpuMsOfTree(pid: number): number {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  const total = (root: number): number => {
    let cpuMs = stats.get(root)?.cpuMs ?? 0;
    for (const [child, { parent }] of stats) if (parent === root) cpuMs += total(child);
    return cpuMs;
  };
  return total(pid);
}

/** Returns the CPU time of the ended children of this process, ms. */
export function cpuMsOfEndedChildren(): number {
  return readStat('self')?.endedChildrenCpuMs ?? Number.NaN;
}

/** Returns the CPU time of this process without its children, ms. */
export function cpuMsOfSelf(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the resident memory of a process without its children, MB (10^6 bytes), current and highest. */
export function memoryMbOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  // proc(5) uses kB for 1024 bytes.
  const mb = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/**
 * Makes the highest memory of a process begin anew.
 *
 * @see proc(5), /proc/pid/clear_refs
 */
export function forgetPeakOf(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
