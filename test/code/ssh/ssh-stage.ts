import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { encodeSshKey } from '../../../src/code/keys/ssh/public-key.ts';
import { encodeEd25519 } from '../../../src/code/ssh/keys/private-key-file.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge, type TestForge, type TestForgeOptions } from '../../support/forge/forge.ts';
import { commitAll, type GitRun, git, temporaryFolder, tryGit, workingCopy } from '../../support/git/git.ts';

const run = promisify(execFile);

/** A key pair in files, as ssh uses it. */
export interface KeyFile {
  /** path of the private key */
  readonly path: string;
  /** public key */
  readonly line: string;
  /** private key */
  readonly text: string;
}

/** Starts a forge with the own SSH server on a free port. */
export function startSshForge(
  t: TestContext,
  { settings, ...options }: TestForgeOptions = {},
): Promise<TestForge> {
  return startForge(t, { ...options, settings: { sshPort: '0', ...settings } });
}

/** Makes a key pair, and returns its files. */
export async function newKeyFile(
  t: TestContext,
  type: 'ed25519' | 'rsa' | 'ecdsa' = 'ed25519',
): Promise<KeyFile> {
  const { privateKey, text } = generate(type);
  const { type: name, blob } = encodeSshKey(privateKey);
  const line = `${name} ${blob.toString('base64')}`;
  const path = join(await temporaryFolder(t), 'key');
  await writeFile(path, text);
  await writeFile(`${path}.pub`, `${line}\n`);
  await chmod(path, 0o600);
  return { path, line, text };
}

function generate(type: 'ed25519' | 'rsa' | 'ecdsa'): { privateKey: KeyObject; text: string } {
  if (type === 'ed25519') {
    const { privateKey } = generateKeyPairSync('ed25519');
    return { privateKey, text: encodeEd25519(privateKey) };
  }
  const isRsa = type === 'rsa';
  const { privateKey } = isRsa
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const form = isRsa ? 'pkcs1' : 'sec1';
  return { privateKey, text: privateKey.export({ type: form, format: 'pem' }).toString() };
}

/** Makes a key and adds it to an account. */
export async function addKey(
  t: TestContext,
  person: Person,
  type?: 'ed25519' | 'rsa' | 'ecdsa',
): Promise<KeyFile> {
  const key = await newKeyFile(t, type);
  const added = await person.post('/api/v1/user/keys', {
    title: `key ${key.line.slice(-12)}`,
    key: key.line,
  });
  if (added.status !== 201) throw new Error(`cannot add a key: ${added.status} ${added.text}`);
  return key;
}

export function portOf(forge: TestForge): number {
  const port = forge.forge.running.ssh?.port;
  if (port === undefined) throw new Error('the forge has no SSH server');
  return port;
}

export function sshRemote(forge: TestForge, path: string): string {
  return `ssh://git@127.0.0.1:${portOf(forge)}/${path}.git`;
}

/** Options of the real ssh client that use only this key, and no files of the machine. */
export function sshOptions(key: Pick<KeyFile, 'path'>): readonly string[] {
  const options = [
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ];
  return ['-F', '/dev/null', '-i', key.path, ...options.flatMap((option) => ['-o', option])];
}

/** Environment in which git uses the real ssh client with this key. */
export function gitOverSsh(
  key: Pick<KeyFile, 'path'>,
  options: readonly string[] = [],
): Record<string, string> {
  return { GIT_SSH_COMMAND: ['ssh', ...sshOptions(key), ...options].join(' ') };
}

export function gitWithKey(
  folder: string,
  key: KeyFile,
  args: readonly string[],
  options: readonly string[] = [],
): Promise<GitRun> {
  return tryGit(folder, args, { environment: gitOverSsh(key, options) });
}

/**
 * Environment in which git uses the real ssh client with this key, except for one command, which a server without this
 * command would refuse.
 */
export async function gitOverSshWithout(
  t: TestContext,
  key: KeyFile,
  command: 'git-lfs-transfer' | 'git-lfs-authenticate',
): Promise<Record<string, string>> {
  const path = join(await temporaryFolder(t), 'ssh');
  const quoted = ['ssh', ...sshOptions(key)].join(' ');
  await writeFile(path, `#!/bin/sh\ncase "$*" in *${command}*) exit 1;; esac\nexec ${quoted} "$@"\n`);
  await chmod(path, 0o755);
  // Without a terminal, git-lfs gets no credential for HTTP either.
  return { GIT_SSH_COMMAND: path, GIT_TERMINAL_PROMPT: '0' };
}

interface SshRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real ssh client. */
export function ssh(forge: TestForge, key: KeyFile, args: readonly string[] = []): Promise<SshRun> {
  return runSsh([...sshOptions(key), '-p', `${portOf(forge)}`, 'git@127.0.0.1', ...args]);
}

/** Runs the real ssh client with the keys of an agent. */
export function sshWithAgent(forge: TestForge, socket: string): Promise<SshRun> {
  const agent = ['-o', 'IdentitiesOnly=no', '-o', `IdentityAgent=${socket}`];
  const options = sshOptions({ path: '/nonexistent' });
  return runSsh([...agent, ...options, '-p', `${portOf(forge)}`, 'git@127.0.0.1']);
}

export async function runSsh(args: readonly string[]): Promise<SshRun> {
  try {
    return { code: 0, ...(await run('ssh', [...args])) };
  } catch (error) {
    const { code, stdout, stderr } = error as SshRun;
    return { code, stdout, stderr };
  }
}

/** Starts a forge where ada has a key, a repository, and a working copy of it with a commit that is not pushed yet. */
export async function startEngine(t: TestContext, options: TestForgeOptions = {}, repository = {}) {
  const forge = await startSshForge(t, options);
  const ada = await forge.account('ada');
  await ada.repository('engine', repository);
  const key = await addKey(t, ada);
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  await commitAll(work, 'begin');
  const remote = sshRemote(forge, 'ada/engine');
  await git(work, ['remote', 'add', 'origin', remote]);
  return { forge, ada, key, work, remote };
}

export async function commitFile(folder: string, name: string): Promise<string> {
  await writeFile(join(folder, name), `${name}\n`);
  return commitAll(folder, name);
}

type Connected = { client: ssh2.Client; error: Error | undefined };

/** Connects with the library, and waits until it has signed in or failed. */
export async function connectAs(
  t: TestContext,
  forge: TestForge,
  config: Partial<ssh2.ConnectConfig>,
): Promise<Connected> {
  const client = new ssh2.Client();
  afterTest(t, () => void client.destroy());
  const result = Promise.withResolvers<Error | undefined>();
  client.on('ready', () => result.resolve(undefined));
  client.on('error', (error) => result.resolve(error));
  client.on('close', () => result.resolve(new Error('closed')));
  client.connect({ host: '127.0.0.1', port: portOf(forge), username: 'git', ...config });
  return { client, error: await result.promise };
}

/** Connects with the library and a key. */
export async function signedIn(t: TestContext, forge: TestForge, key: KeyFile): Promise<ssh2.Client> {
  const { client, error } = await connectAs(t, forge, { privateKey: key.text });
  if (error !== undefined) throw error;
  return client;
}

export interface Exec {
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a command on a connection of the library. */
export async function exec(
  client: ssh2.Client,
  command: string,
  input: Uint8Array = Buffer.alloc(0),
): Promise<Exec> {
  const channel = await openExec(client, command);
  const result = endOf(channel);
  channel.end(input);
  return result;
}

/** Begins a command, with protocol version 2. */
export function openExec(client: ssh2.Client, command: string): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, { env: { GIT_PROTOCOL: 'version=2' } }, (error, channel) =>
      error === undefined ? resolve(channel) : reject(error),
    ),
  );
}

/** Waits for the end of a command. */
export function endOf(channel: ssh2.ClientChannel): Promise<Exec> {
  const stdout: Buffer[] = [];
  let stderr = '';
  channel.on('data', (chunk: Buffer) => stdout.push(chunk));
  channel.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise((resolve) =>
    channel.on('close', (code?: number) => resolve({ code, stdout: Buffer.concat(stdout), stderr })),
  );
}
