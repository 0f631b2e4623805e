import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/base/database/open.ts';
import type { Cleanup } from '../support/after-test.ts';
import { ROOT, type Running, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import type { Kill } from './kills.ts';

const WITH_MAINTENANCE = join(ROOT, 'test/faults/maintenance-server.ts');
/** Clients notice the end of a server up to this much earlier than this process. */
const END_NOTICED_MS = 3_000;

/** Data of a server, which outlives each server process. */
export interface Site {
  readonly dataFolder: string;
  readonly location: DatabaseLocation;
  readonly adminPassword: string;
}

/** A server, as those see it who do not end it by force. */
export interface Server {
  readonly url: string;
  readonly hasEnded: boolean;
  /** Whether the server has ended, or ends in a moment. */
  isEnding(): Promise<boolean>;
  /** Returns unexpected log lines. */
  complaints(): readonly string[];
  /** @returns exit status */
  stop(): Promise<{ code: number | null }>;
}

/** A server in a separate process. */
export class ServerProcess implements Server {
  readonly url: string;
  readonly #running: Running;
  readonly #ended: Promise<true>;
  #hasEnded = false;

  private constructor(url: string, running: Running) {
    this.url = url;
    this.#running = running;
    this.#ended = running.ended().then(() => {
      this.#hasEnded = true;
      return true;
    });
  }

  /** @param kill null: the server runs until it is stopped */
  static async start(cleanup: Cleanup, site: Site, kill: Kill | null): Promise<ServerProcess> {
    const environment: Record<string, string> = { QUIRE_ADMIN_PASSWORD: site.adminPassword };
    if (kill !== null && kill.point !== null) {
      environment.QUIRE_FAULT = `${kill.point}:${1 + Math.floor(Math.random() * kill.passMax)}`;
    }
    const running = run(cleanup, process.execPath, command(site, kill), { environment });
    const [, url = ''] = await running.line(/^ready (http:\S+)$/m);
    return new ServerProcess(url, running);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Returns unexpected log lines. A healthy server reports only that it is ready. Failed jobs are not unexpected: a job
   * may name a commit that was pruned since. The doctor reports the jobs that keep failing.
   */
  complaints(): readonly string[] {
    const lines = this.#running.output().split('\n');
    return lines.filter((line) => line !== '' && !/^ready |"level":(?:10|20|30)\b|"a job failed"/.test(line));
  }

  async isEnding(): Promise<boolean> {
    await Promise.race([this.#ended, wait(END_NOTICED_MS, false, { ref: false })]);
    // A timer that is late runs before this process reads that the server has ended.
    await setImmediate();
    return this.#hasEnded;
  }

  /** @returns whether the server ended in this time */
  async endsWithin(ms: number): Promise<boolean> {
    return Promise.race([this.#ended, wait(ms, false, { ref: false })]);
  }

  async kill(options: { killsGit: boolean }): Promise<void> {
    const { child } = this.#running;
    if (child.pid !== undefined && options.killsGit) {
      // Suspends the server first, so that it starts no more processes.
      child.kill('SIGSTOP');
      for (const pid of descendantsOf(child.pid)) endProcess(pid);
    }
    child.kill('SIGKILL');
    await this.#ended;
  }

  /** @returns exit status and signal */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.#running.child.kill('SIGTERM');
    return this.#running.ended();
  }
}

function command(site: Site, kill: Kill | null): readonly string[] {
  const words = siteFlags(site);
  if (kill === null || kill.maintenance.length === 0) return [PROGRAM, 'serve', '--port', '0', ...words];
  return [WITH_MAINTENANCE, kill.maintenance.join(), ...words];
}

/** Flags that point a command at the same data. */
function siteFlags(site: Site): readonly string[] {
  const { location } = site;
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  return ['--log-level', 'warn', '--data', site.dataFolder, ...database];
}

/** Returns all descendants of a process on Linux, and none elsewhere. */
function descendantsOf(pid: number): readonly number[] {
  const found = [pid];
  const parents = parentsOfAll();
  for (const parent of found) {
    for (const [child, itsParent] of parents) if (itsParent === parent) found.push(child);
  }
  return found.slice(1);
}

function parentsOfAll(): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  if (process.platform !== 'linux') return parents;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // proc(5): the parent is the second field after the name, which is in parentheses and may contain any character.
      const [, after = ''] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'latin1')) ?? [];
      parents.set(Number(name), Number(after));
    } catch {
      // The process has ended since.
    }
  }
  return parents;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended since.
  }
}
