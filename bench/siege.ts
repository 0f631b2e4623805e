import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { forgeByPassword } from './corpus/forge.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { Attackers, attacksNamed } from './siege/attackers.ts';
import { Member } from './siege/members.ts';
import { prepareTargets, type Targets } from './siege/targets.ts';
import { asMarkdown, brokenPromises, type Phase, timesOf } from './siege/verdict.ts';

// Attacks a server while honest users work with it: `npm run siege`. docs/reliability.md has the promise and the results.

const USAGE = `npm run siege -- [options]

  --seconds N        how long to attack (default: 300)
  --quiet-seconds N  how long the members work before, undisturbed (default: 60)
  --connections N    hostile connections at a time (default: 200)
  --members N        honest users (default: 10)
  --only TEXT        only attacks whose name contains TEXT, such as SSH
  --commits N        length of the history that is walked (default: 20000)
  --save             write the result to bench/results/DATE-siege.md
  --help
`;

const MEMORY_EVERY_MS = 500;
/** How much of the end of the server's log is shown if the server ended on its own. */
const LOG_CHARS_SHOWN = 4_000;

class UsageError extends Error {}

interface Options {
  readonly seconds: number;
  readonly quietSeconds: number;
  readonly connections: number;
  readonly members: number;
  readonly commits: number;
  readonly only: string;
  readonly saves: boolean;
}

/**
 * @returns undefined for --help
 * @throws UsageError
 */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '300' },
      'quiet-seconds': { type: 'string', default: '60' },
      connections: { type: 'string', default: '200' },
      members: { type: 'string', default: '10' },
      commits: { type: 'string', default: '20000' },
      only: { type: 'string', default: '' },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (attacksNamed(values.only).length === 0)
    throw new UsageError(`no attack has ${values.only} in its name`);
  return {
    seconds: numberOf('seconds', values.seconds),
    quietSeconds: numberOf('quiet-seconds', values['quiet-seconds']),
    connections: numberOf('connections', values.connections),
    members: numberOf('members', values.members),
    commits: numberOf('commits', values.commits),
    only: values.only,
    saves: values.save,
  };
}

function numberOf(name: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--${name} must be a number from 1 on, not ${text}`);
  return Number(text);
}

/** Returns whether the promise holds. */
async function besiege(options: Options): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-siege-'));
  const machine = describeMachine();
  await mkdir(join(folder, 'server'));
  const command = serverCommand(join(folder, 'server'));
  const server = await ServerProcess.start(command);
  try {
    const forge = await forgeByPassword(server.url, ADMINISTRATOR.login, ADMINISTRATOR.password);
    print('preparing accounts and repositories');
    const targets = await prepareTargets(forge, {
      folder,
      members: options.members,
      commits: options.commits,
      sshPort: server.sshPort ?? 0,
    });
    const members = await arrive(targets, folder);
    print(`${options.quietSeconds} s without attackers`);
    const quiet = await phase(server, members, options.quietSeconds, () => []);
    const attackers = new Attackers(targets, attacksNamed(options.only));
    print(`${options.seconds} s with ${options.connections} hostile connections`);
    const siege = await phase(server, members, options.seconds, (signal) => [
      attackers.run(options.connections, signal),
    ]);
    for (const member of members) member.leave();
    if (!server.isRunning)
      throw new Error(`the server ended during the siege:\n${await endOf(command.logFile)}`);
    const outcomes = attackers.outcomes();
    const broken = brokenPromises(quiet, siege, outcomes);
    const about = `${machine.cores} cores, ${machine.processor}, ${machine.node}, ${machine.git}, commit ${machine.commit ?? 'unknown'}. Load average ${machine.loadBefore} before, ${loadNow()} at the end.`;
    const text = asMarkdown({ title: 'A siege', machine: about, quiet, siege, outcomes, broken });
    process.stdout.write(text);
    if (options.saves) await save(text);
    return broken.length === 0;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The server takes the addresses of attackers from the program, as from a proxy. */
function serverCommand(folder: string): ReturnType<typeof quireCommand> {
  const command = quireCommand(folder, []);
  const settings = [
    ...['--trusted-proxies', '127.0.0.1', '--log-level', 'warn'],
    ...['--ssh-port', '0', '--sign-up', 'open', '--mail', 'folder'],
  ];
  return { ...command, args: [...command.args, ...settings] };
}

async function endOf(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8')).slice(-LOG_CHARS_SHOWN);
}

function arrive(targets: Targets, folder: string): Promise<Member[]> {
  const members = targets.members.map((account, index) => Member.arrive(account, targets, folder, index));
  return Promise.all(members);
}

/** Lets the members work for some time, beside `others`. */
async function phase(
  server: ServerProcess,
  members: readonly Member[],
  seconds: number,
  others: (signal: AbortSignal) => readonly Promise<void>[],
): Promise<Phase> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const before = members.map((member) => member.actions.length);
  let memoryMbMax = 0;
  const timer = setInterval(() => {
    if (server.isRunning) memoryMbMax = Math.max(memoryMbMax, server.memoryMb()?.now ?? 0);
  }, MEMORY_EVERY_MS);
  try {
    await Promise.all([...members.map((member) => member.work(signal)), ...others(signal)]);
  } finally {
    clearInterval(timer);
  }
  const actions = members.flatMap((member, index) => member.actions.slice(before[index]));
  const problems = actions.flatMap(({ kind, problem }) => (problem === null ? [] : [`${kind}: ${problem}`]));
  return { seconds, times: timesOf(actions), problems, memoryMbMax };
}

async function save(text: string): Promise<void> {
  const name = `${new Date().toISOString().slice(0, 10)}-siege.md`;
  await writeFile(join(import.meta.dirname, 'results', name), text);
  print(`saved as bench/results/${name}`);
}

/** Prints progress to standard error. Standard output has only the result. */
function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

try {
  const options = readOptions();
  if (options === undefined) process.stdout.write(USAGE);
  else if (!(await besiege(options))) process.exitCode = 1;
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${USAGE}`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
