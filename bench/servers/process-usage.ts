import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpuMsOf } from '../../test/runner/cpu-time.ts';

export const CAN_READ_USAGE = existsSync('/proc/self/stat');

const MS_PER_TICK = CAN_READ_USAGE ? 1000 / Number(execFileSync('getconf', ['CLK_TCK'])) : Number.NaN;

/** Returns the CPU time of a process and of all its children, running or ended, ms. */
export function cpuMsOfTree(pid: number): number {
  return cpuMsOf(pid) ?? Number.NaN;
}

/**
 * Returns the CPU time of the ended children of this process, ms.
 *
 * @see proc_pid_stat(5): fields 16 and 17 (cutime, cstime)
 */
export function cpuMsOfEndedChildren(): number {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program may contain any character. It ends at the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
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
