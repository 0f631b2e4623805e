import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface ProcessStat {
  readonly parent: number;
  /** of the process and of the children it has seen end */
  readonly cpuMs: number;
  readonly endedChildrenCpuMs: number;
}

export const CAN_READ_USAGE = existsSync('/proc/self/stat');

const MS_PER_TICK = CAN_READ_USAGE ? 1000 / Number(execFileSync('getconf', ['CLK_TCK'])) : Number.NaN;

/** @see proc(5), /proc/pid/stat: fields 4 (ppid) and 14 to 17 (utime, stime, cutime, cstime) */
function readStat(pid: number | 'self'): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, which may hold anything, ends at the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (index: number) => Number(fields[index]);
    return {
      parent: ticks(1),
      cpuMs: (ticks(11) + ticks(12) + ticks(13) + ticks(14)) * MS_PER_TICK,
      endedChildrenCpuMs: (ticks(13) + ticks(14)) * MS_PER_TICK,
    };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** CPU time of a process, of everything it started that still runs and of everything that has ended, ms. */
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

/** CPU time of what this process started and has seen end, ms. */
export function cpuMsOfEndedChildren(): number {
  return readStat('self')?.endedChildrenCpuMs ?? Number.NaN;
}

/** CPU time of this process alone, ms. */
export function cpuMsOfSelf(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Resident memory of a process without its children, MB (10^6 bytes), now and at its highest. */
export function memoryMbOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  // What proc(5) calls kB is 1024 bytes.
  const mb = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}
