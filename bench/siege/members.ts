import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runGit } from '../corpus/git.ts';
import { GitShell, quoted } from '../corpus/git-shell.ts';
import { numbersFrom } from '../corpus/texts.ts';
import type { Account, Targets } from './targets.ts';

/** Time between the starts of two actions of one member: a person at work, not a load test. */
const PACE_MS = 1_000;

/** One action of a member. */
export interface Action {
  readonly kind: string;
  readonly ms: number;
  /** null: it succeeded */
  readonly problem: string | null;
}

type Work = (member: Member) => Promise<string | null>;

/** Listing is the most frequent work, as in a real team. */
const ROTATION: readonly (readonly [kind: string, work: Work])[] = [
  ['list', (member) => member.list()],
  ['commit', (member) => member.commit()],
  ['list', (member) => member.list()],
  ['push', (member) => member.push()],
  ['list', (member) => member.list()],
  ['clone', (member) => member.clone()],
  ['list', (member) => member.list()],
  ['clone over SSH', (member) => member.cloneOverSsh()],
];

/** An honest user, who does one thing after the other and notes how long each took. */
export class Member {
  readonly actions: Action[] = [];
  readonly #account: Account;
  readonly #targets: Targets;
  readonly #folder: string;
  readonly #shell = new GitShell();
  readonly #random: Generator<number, never>;
  #count = 0;

  private constructor(account: Account, targets: Targets, folder: string, index: number) {
    this.#account = account;
    this.#targets = targets;
    this.#folder = folder;
    this.#random = numbersFrom(index + 1);
  }

  static async arrive(account: Account, targets: Targets, folder: string, index: number): Promise<Member> {
    const member = new Member(account, targets, join(folder, account.name), index);
    await mkdir(member.#folder);
    await runGit(['clone', '-q', account.remoteOf('desk'), join(member.#folder, 'desk')]);
    return member;
  }

  /** Works until `signal` fires. */
  async work(signal: AbortSignal): Promise<void> {
    await pause(this.#random.next().value * PACE_MS, signal);
    while (!signal.aborted) {
      const [kind, work] = ROTATION[this.#count % ROTATION.length] ?? ROTATION[0] ?? [];
      if (kind === undefined || work === undefined) return;
      this.#count += 1;
      const startedAt = performance.now();
      const problem = await work(this).catch((error: unknown) => String(error));
      const ms = performance.now() - startedAt;
      this.actions.push({ kind, ms, problem });
      await pause(Math.max(0, PACE_MS - ms), signal);
    }
  }

  leave(): void {
    this.#shell.stop();
  }

  async list(): Promise<string | null> {
    const { owner, history } = this.#targets;
    return this.#ask('GET', `/api/v1/repos/${owner}/${history}/contents/cards`, 200);
  }

  async commit(): Promise<string | null> {
    const content = Buffer.from(`${this.#account.name} ${this.#count}\n`).toString('base64');
    const path = `/api/v1/repos/${this.#account.name}/desk/contents/api/${this.#count}.txt`;
    // Pushes of the same member go to another branch, so the two never race.
    return this.#ask('POST', path, 201, { content, message: 'Add a file' });
  }

  async push(): Promise<string | null> {
    const desk = join(this.#folder, 'desk');
    await this.#shell.git(['-C', desk, 'commit', '-q', '--allow-empty', '-m', `change ${this.#count}`]);
    await this.#shell.git(['-C', desk, 'push', '-q', 'origin', 'HEAD:refs/heads/pushed']);
    return null;
  }

  async clone(): Promise<string | null> {
    const { url, owner, small } = this.#targets;
    const copy = join(this.#folder, 'copy');
    const remote = new URL(`${url}/${owner}/${small}.git`);
    const own = new URL(this.#account.remoteOf('desk'));
    remote.username = own.username;
    remote.password = own.password;
    await this.#shell.git(['clone', '-q', '--bare', remote.href, copy]);
    await rm(copy, { recursive: true });
    return null;
  }

  async cloneOverSsh(): Promise<string | null> {
    const { sshPort, owner, small } = this.#targets;
    const copy = join(this.#folder, 'copy');
    const remote = `ssh://git@127.0.0.1:${sshPort}/${owner}/${small}.git`;
    const command = `GIT_SSH_COMMAND=${quoted(sshCommand(this.#account.sshKey.path))} git clone -q --bare ${quoted(remote)} ${quoted(copy)}`;
    await this.#shell.run(`${command} </dev/null >/dev/null`);
    await rm(copy, { recursive: true });
    return null;
  }

  async #ask(method: string, path: string, expected: number, json?: unknown): Promise<string | null> {
    const response = await fetch(this.#targets.url + path, {
      method,
      headers: { authorization: this.#account.authorization, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return response.status === expected ? null : `${response.status} ${text.slice(0, 200)}`;
  }
}

/** The real ssh client, without files of the machine. */
function sshCommand(key: string): string {
  const options = [
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ];
  return `ssh -F /dev/null -i ${key} ${options.map((option) => `-o ${option}`).join(' ')}`;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
