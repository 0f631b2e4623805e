import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SETTINGS } from '../../src/app/config.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { databaseLocation } from '../support/database-location.ts';
import { temporaryFolder } from '../support/git.ts';
import { ROOT, run } from '../support/process.ts';

const README = await readFile(join(ROOT, 'README.md'), 'utf8');
const PORT = 3000;

function section(title: string): string {
  const [, after = ''] = README.split(`\n## ${title}\n`);
  const [body = ''] = after.split('\n## ');
  assert.ok(body.length > 0, `the README has no section "${title}"`);
  return body;
}

/** The cells of a table's rows, without its head. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}

const code = (cell: string) => /`([^`]*)`/.exec(cell)?.[1] ?? '';

interface Step {
  /** the sentence above the commands */
  readonly about: string;
  readonly commands: string;
}

function tour(): Step[] {
  const text = section('A tour in five minutes');
  const blocks = text.matchAll(/([^\n]+)\n\n```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, about = '', commands = '']) => ({ about, commands }));
}

/** What must have come of a step: what it printed, and what is asked afterwards. */
interface Outcome {
  /** asked in the same shell, after the commands as they stand in the README */
  readonly ask?: string;
  readonly printed: RegExp;
}

const OUTCOMES: readonly (readonly [about: RegExp, outcome: Outcome])[] = [
  [/Make a token/, { ask: 'echo "token $TOKEN"', printed: /^token [0-9a-f]{40}$/m }],
  [/Make a repository/, { printed: /"full_name":"root\/engine"/ }],
  [
    /Push to it/,
    {
      ask: 'git status -sb && git ls-remote origin',
      printed: /## main\.\.\.origin\/main\n[0-9a-f]{40}\tHEAD\n/,
    },
  ],
  [/Change the file/, { printed: /"message":"Say what it does/ }],
  [
    /Pull the change/,
    { printed: /^# Engine\n\nIt weaves patterns\.\n[0-9a-f]+ Say what it does\n[0-9a-f]+ Begin$/m },
  ],
  [/Write a note/, { printed: /"title":"Looms"/ }],
  [/It is a file/, { printed: /Cards hold the pattern\.\n[\s\S]*Ask Charles\./ }],
];

function outcomeOf({ about }: Step): Outcome {
  const outcome = OUTCOMES.find(([pattern]) => pattern.test(about))?.[1];
  assert.ok(outcome, `nothing is known of what must come of the step "${about}"`);
  return outcome;
}

test('the tour works, word for word', { timeout: 120_000 }, async (t) => {
  const [start, ...steps] = tour();
  assert.ok(start && steps.length >= 5, 'the tour has its steps');
  const folder = await temporaryFolder(t);
  const environment = await shellEnvironment(t, folder);
  const port = (await listen(PORT)) ?? (await listen(0)) ?? 0;
  if (port !== PORT) {
    t.diagnostic(`port ${PORT} is taken: the tour was run with ${port} in its place`);
    environment.QUIRE_PORT = String(port);
  }
  const elsewhere = (text: string) => text.replaceAll(`localhost:${PORT}`, `localhost:${port}`);

  const server = run(t, 'bash', ['-c', start.commands.trim()], { environment });
  try {
    await server.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    const printed = await runSteps(steps, { folder: join(folder, 'second'), environment, elsewhere });
    steps.forEach((step, index) => {
      assert.match(printed[index] ?? '', outcomeOf(step).printed, step.about);
    });
  } finally {
    server.child.kill('SIGTERM');
  }
  assert.deepEqual(await server.ended(), { code: 0, signal: null });
});

async function shellEnvironment(t: TestContext, folder: string): Promise<Record<string, string>> {
  const location = await databaseLocation(t, { schema: 'empty' });
  await mkdir(join(folder, 'second'));
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    QUIRE_DATA: join(folder, 'data'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...(location.kind === 'url' ? { DATABASE_URL: location.url } : {}),
  };
}

/** Runs all steps in one shell, as somebody would who pastes them, and returns what each printed. */
async function runSteps(
  steps: readonly Step[],
  at: { folder: string; environment: Record<string, string>; elsewhere(text: string): string },
): Promise<string[]> {
  const end = '--- end of a step ---';
  const script = steps.map(
    (step) => `${at.elsewhere(step.commands)}\n${outcomeOf(step).ask ?? ''}\necho; echo '${end}'\n`,
  );
  const shell = spawn('bash', ['-e'], {
    cwd: at.folder,
    env: at.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  shell.stdin.end(script.join('\n'));
  const [out, err] = await Promise.all([shell.stdout.toArray(), shell.stderr.toArray()]);
  const printed = Buffer.concat(out).toString().split(`${end}\n`);
  assert.equal(printed.length, steps.length + 1, `a step failed:\n${printed.at(-1)}\n${Buffer.concat(err)}`);
  assert.equal(Buffer.concat(err).toString(), '', 'nothing is complained of');
  return printed;
}

/** Takes a port for a moment: which one it was, or undefined where it is taken already. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const taken = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(taken));
    });
  });
}

test('the table of settings is the list of settings', () => {
  const listed = rowsOf(section('Settings')).map(([flag = '', variable = '', name = '', fallback = '']) => ({
    name: code(name),
    variable: code(variable),
    flag: code(flag),
    fallback: code(fallback),
  }));
  const there = Object.entries(SETTINGS).map(([name, setting]) => ({
    name,
    variable: setting.variable,
    flag: 'flag' in setting ? `--${setting.flag}` : '',
    fallback: setting.fallback,
  }));
  assert.deepEqual(listed, there);
});

/** Every command with its own help, from the program itself. */
async function commandsOf(t: TestContext, words: readonly string[] = []): Promise<Map<string, string>> {
  const help = run(t, process.execPath, [join(ROOT, 'src/app/main.mjs'), ...words, '--help']);
  assert.equal((await help.ended()).code, 0);
  const [, listed = ''] = help.output().split('\nCommands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  if (names.length === 0) return new Map([[words.join(' '), help.output()]]);
  const commands = new Map<string, string>();
  for (const name of names.filter((each) => each !== 'help')) {
    for (const [command, text] of await commandsOf(t, [...words, name])) commands.set(command, text);
  }
  return commands;
}

test('the table of commands is what --help tells', async (t) => {
  const there = await commandsOf(t);
  const rows = rowsOf(section('Commands')).map(([command = '']) => code(command));
  const named = rows.map((row) => /^[a-z -]*[a-z](?= [A-Z[-]|$)/.exec(row)?.[0] ?? row);
  assert.deepEqual([...named].sort(), [...there.keys()].sort());
  rows.forEach((row, index) => {
    const help = there.get(named[index] ?? '') ?? '';
    for (const [flag] of row.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(flag), `${row}: ${flag}`);
  });
});

const MIB = 1024 * 1024;
const count = (number: number) => number.toLocaleString('en-US');

/** What the README must say of each limit it names. */
const LIMITS_TOLD: Record<string, string> = {
  'items on a page of a list': `${LIMITS.pageItemsMax} (${LIMITS.pageItemsDefault} unless asked for more)`,
  'a file written over the API': `${LIMITS.fileBodyBytesMax / MIB} MiB with its base64`,
  'content in an answer of the contents API': `${LIMITS.contentsBlobBytesMax / MIB} MiB; larger files come without it, read them raw`,
  'one push': `${LIMITS.pushPackBytesMax / MIB / 1024} GiB packed, ${count(LIMITS.pushCommandsMax)} refs`,
  'fetches at once': `${LIMITS.fetchesAtOnceMax}, others wait`,
  'a note, a title': `${LIMITS.noteBytesMax / MIB} MiB, ${LIMITS.noteTitleCharsMax} characters`,
  'notes in one notebook': count(LIMITS.notesPerNotebookMax),
  'a name of an account, of a repository, of a team': `${LIMITS.nameCharsMax}, ${LIMITS.repositoryNameCharsMax}, ${LIMITS.teamNameCharsMax} characters`,
  'e-mail addresses of an account': count(LIMITS.emailsPerAccountMax),
  'repositories that a token is limited to': count(LIMITS.repositoriesPerTokenMax),
  'topics of a repository': `${LIMITS.topicsPerRepositoryMax}, each ${LIMITS.topicCharsMax} characters`,
  'teams of an organization': count(LIMITS.teamsPerOrganizationMax),
  'a path in a repository': `${count(LIMITS.treePathBytesMax)} bytes, each name in it ${LIMITS.treeNameBytesMax}`,
};

test('the table of limits says what the limits are', () => {
  const told = Object.fromEntries(rowsOf(section('Limits')).map(([what = '', most = '']) => [what, most]));
  assert.deepEqual(told, LIMITS_TOLD);
});

test('every file that the README points to is there', async () => {
  const links = [...README.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)].map(([, path = '']) => path);
  assert.ok(links.length > 0);
  for (const path of links) await assert.doesNotReject(access(join(ROOT, path)), path);
});
