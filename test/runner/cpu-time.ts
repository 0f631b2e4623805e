import { readdirSync, readFileSync } from 'node:fs';

/** Unit of the times in /proc, on every Linux. */
const TICK_MS = 10;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** CPU of the process and of those children for whose end it waited */
  readonly cpuMs: number;
}

/**
 * CPU time, user and system, that a process, its descendants and its process group have used so far. Processes whose
 * parent ended before them are missing once they have ended themselves.
 *
 * @returns undefined on systems without /proc
 * @see proc_pid_stat(5)
 */
export function cpuMsOf(pid: number | undefined): number | undefined {
  const all = pid === undefined ? [] : readProcesses();
  if (!all.some((process) => process.pid === pid)) return undefined;
  const counted = new Set([pid]);
  const belongs = (process: ProcessTimes) => counted.has(process.parent) || process.group === pid;
  for (let size = 0; size < counted.size; ) {
    size = counted.size;
    for (const process of all) if (belongs(process)) counted.add(process.pid);
  }
  return all.reduce((sum, process) => (counted.has(process.pid) ? sum + process.cpuMs : sum), 0);
}

function readProcesses(): readonly ProcessTimes[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times !== undefined);
}

function timesOf(pid: string): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, parent, group] = fields.map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number(pid), parent: parent ?? 0, group: group ?? 0, cpuMs: ticks * TICK_MS };
  } catch {
    // It has ended.
    return undefined;
  }
}
