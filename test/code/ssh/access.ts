import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { FLUSH, pktLine } from '../../../src/git/format/pkt-line.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { type Ended, REPOSITORIES, type SshCaller, startCallers } from './access-callers.ts';
import { newAuthority, whyNoKeygen } from './certificates.ts';
import { startSshForge } from './ssh-stage.ts';

// The tables of docs/access-matrix.md about git over SSH.

/** What a cell contains for a caller that this machine cannot be. */
const NOT_TRIED = '·';

interface Command {
  readonly label: string;
  /** Returns what a client runs. */
  readonly line: (path: string) => string;
  readonly input: (head: string) => Uint8Array;
  readonly isOfWiki?: true;
}

const NOTHING = () => Buffer.alloc(0);
const GOODBYE = () => FLUSH;
const QUIT = () => Buffer.concat([pktLine('quit\n'), FLUSH]);
/** A pack without objects. */
const EMPTY_PACK = withChecksum(Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])]));

function withChecksum(pack: Buffer): Buffer {
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

let branches = 0;

/** Creates a branch at a commit. */
function newBranch(head: string): Buffer {
  branches += 1;
  const update = `${'0'.repeat(40)} ${head} refs/heads/branch-${branches}\0report-status`;
  return Buffer.concat([pktLine(update), FLUSH, EMPTY_PACK]);
}

/** What a client runs for a repository. */
const COMMANDS: readonly Command[] = [
  { label: 'fetch', line: (path) => `git-upload-pack '/${path}.git'`, input: GOODBYE },
  { label: 'push a branch', line: (path) => `git-receive-pack '/${path}.git'`, input: newBranch },
  {
    label: 'archive',
    line: (path) => `git-upload-archive '/${path}.git'`,
    input: () => Buffer.concat([pktLine('argument HEAD\n'), FLUSH]),
  },
  {
    label: 'git-lfs: download',
    line: (path) => `git-lfs-authenticate ${path}.git download`,
    input: NOTHING,
  },
  { label: 'git-lfs: upload', line: (path) => `git-lfs-authenticate ${path}.git upload`, input: NOTHING },
  {
    label: 'git-lfs-transfer: download',
    line: (path) => `git-lfs-transfer ${path}.git download`,
    input: QUIT,
  },
  { label: 'git-lfs-transfer: upload', line: (path) => `git-lfs-transfer ${path}.git upload`, input: QUIT },
  {
    label: 'fetch the wiki',
    line: (path) => `git-upload-pack '/${path}.wiki.git'`,
    input: GOODBYE,
    isOfWiki: true,
  },
  {
    label: 'push to the wiki',
    line: (path) => `git-receive-pack '/${path}.wiki.git'`,
    input: newBranch,
    isOfWiki: true,
  },
];

/** What a client runs without a repository; undefined asks for a shell. */
const OTHER_COMMANDS: readonly (readonly [string, string | undefined])[] = [
  ['greeting', undefined],
  ['a shell', 'sh -i'],
  ['an unknown command', 'git-unknown-pack ada/open.git'],
];

/** Texts of refusals, and the words for them in the tables. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^cannot sign in|Permission denied \(publickey\)/, 'no sign-in'],
  [/^repository not found/i, 'hidden'],
  [/^you may read this (?:repository|wiki), but not /, 'only read'],
  [/^the account is disabled/, 'disabled'],
  [/archived/, 'archived'],
  [/^This server runs only the commands of git/, 'not run'],
];

/** Returns the word for how a command ended. A refusal of another kind is its text. */
function wordFor(ended: Ended | undefined): string {
  if (ended === undefined) return NOT_TRIED;
  const output = ended.stdout.toString('latin1');
  // A line of a report, or of the answer about an archive, after its length.
  const [, rejected] = /[0-9a-f]{4}(?:ng \S+|NACK) ([^\n]*)/.exec(output) ?? [];
  if (ended.isDone && rejected === undefined) return 'yes';
  const why = (rejected ?? ended.stderr).trim();
  return REFUSALS.find(([pattern]) => pattern.test(why))?.[1] ?? why;
}

/** Returns the newest commit of a repository, or of its wiki. */
async function headOf(forge: TestForge, path: string, { isOfWiki }: Command): Promise<string> {
  const repository = `/api/v1/repos/${path}`;
  if (isOfWiki === true)
    return (await forge.root.get(`${repository}/wiki/revisions/Home`)).body.commits[0].sha;
  return (await forge.root.get(`${repository}/branches/main`)).body.commit.id;
}

/** Runs a command as each of the callers, at the same time. */
function wordsOf(
  callers: readonly SshCaller[],
  line: string | undefined,
  input: () => Uint8Array,
): Promise<readonly string[]> {
  return Promise.all(callers.map(async (caller) => wordFor(await caller.run(line, input()))));
}

async function rowOf(
  forge: TestForge,
  callers: readonly SshCaller[],
  { command, path }: { readonly command: Command; readonly path: string },
): Promise<readonly string[]> {
  const head = await headOf(forge, path, command);
  return wordsOf(callers, command.line(path), () => command.input(head));
}

/** Returns the lines of the section. */
export async function printedSshAccess(t: TestContext): Promise<readonly string[]> {
  const authority = whyNoKeygen === false ? await newAuthority(t) : undefined;
  const settings = authority === undefined ? {} : { sshAuthorities: authority.file };
  const forge = await startSshForge(t, { settings });
  const callers = await startCallers(t, forge, authority);
  const lines: string[] = [];
  const add = (label: string, words: readonly string[]) => lines.push(`| ${label} | ${words.join(' | ')} |`);
  for (const [kind, path] of Object.entries(REPOSITORIES))
    for (const command of COMMANDS)
      add(`${command.label}, ${kind}`, await rowOf(forge, callers, { command, path }));
  for (const [label, line] of OTHER_COMMANDS) add(label, await wordsOf(callers, line, NOTHING));
  return [
    ...EXPLANATION,
    `| | ${callers.map(({ title }) => title).join(' | ')} |`,
    `|---|${callers.map(() => '---|').join('')}`,
    ...lines,
    '',
  ];
}

const EXPLANATION = `## git over SSH

Each row is a command of a client on one repository, and each column whose key it has. The repositories are public, private,
public and archived, and a private one of an organization; a writer and a reader are collaborators of each. Deploy keys are
those of the repository, or of another one. \`hidden\`: the answer is that of a missing repository. \`not run\`: the server
runs only the commands of git.
`.split('\n');
