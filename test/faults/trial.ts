import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/base/database/open.ts';
import type { Cleanup } from '../support/after-test.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { FileWriter } from './clients/api-clients.ts';
import { type Client, REPOSITORY, Target } from './clients/client.ts';
import { Fetcher, SingleCommits, WidePushes } from './clients/git-clients.ts';
import { PartByPart } from './clients/git-data-client.ts';
import { hasNotes, NoteSaver } from './clients/note-client.ts';
import { RepositoryCreator } from './clients/repository-client.ts';
import type { Problem, Round } from './counts.ts';
import { inspectAndSweep, inspectBeforeStart } from './doctor.ts';
import type { Kill } from './kills.ts';
import { Ledger } from './ledger.ts';
import { LocalServer } from './local-server.ts';
import { checkFolder, checkRunning } from './recovery.ts';
import { type Server, ServerProcess, type Site } from './server-process.ts';

/** Long enough for a slow machine to reach the fault point. After this time the point counts as never reached. */
const LOAD_MS_MAX = 180_000;
/**
 * With maintenance, clients alternate between work and rest: a repack finishes only during a rest, and a prune that a
 * push overtakes does nothing.
 */
const WORK_MS = 600;
const WORK_AND_REST_MS = 2_000;
const REST_MS = 100;
const REPOSITORY_CHANGES_PER_LIFE = 2;

export interface RoundOptions {
  /** a kill at a random time happens within this time */
  readonly anywhereMsMax: number;
  /** when `quire doctor` runs: it also repairs what it inspects, so the next server has less to recover */
  readonly doctor: 'before start' | 'after stop';
  /** where the server runs that recovers: a separate process also shows its log and that it stops on a signal */
  readonly recovery: 'separate process' | 'this process';
}

/** Kills one server after another, with the same clients and data, and inspects the result. */
export class Trial {
  readonly #cleanup: Cleanup;
  readonly #folder: string;
  readonly #site: Site;
  readonly #ledger = new Ledger();
  readonly #clients: Client[] = [];

  private constructor(cleanup: Cleanup, folder: string, location: DatabaseLocation | undefined) {
    const dataFolder = join(folder, 'data');
    this.#cleanup = cleanup;
    this.#folder = folder;
    this.#site = {
      dataFolder,
      location: location ?? { kind: 'file', path: join(dataFolder, 'quire.db') },
      adminPassword: randomBytes(12).toString('hex'),
    };
  }

  /** @param location an empty database; undefined: the embedded one */
  static async prepare(cleanup: Cleanup, location: DatabaseLocation | undefined): Promise<Trial> {
    const trial = new Trial(cleanup, await temporaryFolder(cleanup), location);
    // The password that it makes is cheap to check, also for the other servers.
    const server = await LocalServer.start(cleanup, trial.#site);
    const target = trial.#target(server, null);
    await trial.#createClients(target);
    await server.stop();
    return trial;
  }

  async #createClients(target: Target): Promise<void> {
    const created = await target.send('POST', '/api/v1/user/repos', { json: { name: REPOSITORY } });
    if (created?.status !== 201)
      throw new Error(`the repository cannot be created: ${created?.status} ${created?.text}`);
    const ledger = this.#ledger;
    const first = new FileWriter({ ledger, name: 'ada' });
    await first.step(target);
    this.#clients.push(
      first,
      new FileWriter({ ledger, name: 'grace' }),
      new RepositoryCreator({ ledger, changesMax: REPOSITORY_CHANGES_PER_LIFE }),
      new SingleCommits({ folder: await this.#bare('one'), ledger, name: 'one' }),
      new SingleCommits({ folder: await this.#bare('two'), ledger, name: 'two' }),
      new WidePushes({ folder: await this.#bare('wide'), ledger }),
      new PartByPart(ledger),
      new Fetcher(await this.#bare('fetched')),
    );
    if (await hasNotes(target)) this.#clients.push(new NoteSaver(ledger));
  }

  async #bare(name: string): Promise<string> {
    const path = join(this.#folder, name);
    await git(this.#folder, ['init', '-q', '--bare', path]);
    return path;
  }

  #target(server: Server, kill: Kill | null): Target {
    const isPruning = kill?.maintenance.includes('prune') ?? false;
    return new Target(server, this.#site.adminPassword, { isPruning });
  }

  /** Runs a server until it is killed, and then runs and inspects the next one. */
  async round(kill: Kill, options: RoundOptions): Promise<Round> {
    const { acknowledged, retried } = this.#ledger;
    const problems = await this.#loadUntilKilled(kill, options);
    const inspects = options.doctor === 'after stop';
    if (!inspects) problems.push(...(await inspectBeforeStart(this.#site)));
    problems.push(...(await this.#recover(options)));
    for await (const problem of checkFolder(this.#site)) problems.push(problem);
    const hadProblems = problems.some(({ kind }) => kind === 'doctor');
    problems.push(...(await inspectAndSweep(this.#site, { inspects, hadProblems })));
    return {
      acknowledged: this.#ledger.acknowledged - acknowledged,
      retried: this.#ledger.retried - retried,
      problems,
    };
  }

  async #loadUntilKilled(kill: Kill, options: RoundOptions): Promise<Problem[]> {
    const server = await ServerProcess.start(this.#cleanup, this.#site, kill);
    const target = this.#target(server, kill);
    const work = this.#clients.map(async (client) => {
      while (!target.hasEnded) {
        await client.step(target);
        if (kill.maintenance.length > 0) await rest(target);
      }
    });
    const ms = kill.point === null ? Math.random() * options.anywhereMsMax : LOAD_MS_MAX;
    const hasEnded = await server.endsWithin(ms);
    if (!hasEnded) await server.kill(kill);
    await Promise.all(work);
    const problems = complaints(server, target);
    if (hasEnded === (kill.point === null)) {
      problems.push({
        kind: 'other',
        text: hasEnded ? 'the server ended without a kill' : 'the server never reached the fault point',
      });
    }
    return problems;
  }

  async #recover({ recovery }: RoundOptions): Promise<readonly Problem[]> {
    const server =
      recovery === 'this process'
        ? await LocalServer.start(this.#cleanup, this.#site)
        : await ServerProcess.start(this.#cleanup, this.#site, null);
    const target = this.#target(server, null);
    const clone = await mkdtemp(join(this.#folder, 'clone-'));
    const recovered = {
      site: this.#site,
      target,
      ledger: this.#ledger,
      clone,
      clients: this.#clients,
    };
    const problems: Problem[] = [];
    for await (const problem of checkRunning(recovered)) problems.push(problem);
    await rm(clone, { recursive: true, force: true });
    const { code } = await server.stop();
    if (code !== 0)
      problems.push({ kind: 'other', text: `after a signal to stop, the server ended with status ${code}` });
    return [...problems, ...complaints(server, target)];
  }
}

async function rest(target: Target): Promise<void> {
  do await wait(REST_MS);
  while (!target.hasEnded && Date.now() % WORK_AND_REST_MS >= WORK_MS);
}

function complaints(server: Server, target: Target): Problem[] {
  return [...target.problems, ...server.complaints()].map((text) => ({ kind: 'other', text }));
}
