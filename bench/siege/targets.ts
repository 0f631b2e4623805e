import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeSshKey } from '../../src/code/keys/ssh/public-key.ts';
import { encodeEd25519 } from '../../src/code/ssh/keys/private-key-file.ts';
import { type Answer, type Forge, forgeByPassword } from '../corpus/forge.ts';
import { askGit, runGit } from '../corpus/git.ts';
import { historyStream } from '../corpus/history.ts';
import { noiseOfBytes } from '../corpus/texts.ts';
import { packOfZeros } from './packets.ts';
import { beginSignIn } from './second-factor.ts';

const PASSWORD = 'a long password of the siege';
/** The pack inflates to this much. */
const ZEROS_MIB = 3 * 1024;
const TREE_WIDTH = 40;
const TREE_DEPTH = 6;
const BIG_FILE_BYTES = 64 * 1024 * 1024;
const SMALL_COMMITS = 200;

/** One account of the siege. */
export interface Account {
  readonly name: string;
  readonly password: string;
  readonly authorization: string;
  /** for git */
  readonly remoteOf: (repository: string) => string;
  readonly sshKey: SshKey;
}

interface SshKey {
  /** file with the private key */
  readonly path: string;
  readonly text: string;
}

/** What attackers and members send requests to. */
export interface Targets {
  readonly url: string;
  /** owner of the public repositories */
  readonly owner: string;
  /** public, with a long history and a folder of 100 entries */
  readonly history: string;
  /** commits of `history`, from its tip to its root */
  readonly commits: readonly string[];
  /** public, with one large file `big.bin` */
  readonly big: string;
  readonly bigTip: string;
  /** public, with `SMALL_COMMITS` commits */
  readonly small: string;
  /** an account with a repository `lair` of its own, which reads the public repositories */
  readonly intruder: Account;
  /** tip of `lair`: a few trees that contain each other many times */
  readonly lairTip: string;
  /** a blob of `lair` with patterns for a sparse filter */
  readonly patterns: string;
  readonly zeros: Buffer;
  readonly members: readonly Account[];
  /** an account that does nothing but connect */
  readonly hoarder: Account;
  /** a sign-in of an account whose password attackers know, and which asks for its second factor */
  readonly pendingSignIn: string;
  /** an OAuth2 application whose secret attackers know */
  readonly application: { readonly id: string; readonly secret: string };
  readonly sshPort: number;
}

/** Creates accounts and repositories for the siege. */
export async function prepareTargets(
  forge: Forge,
  options: { folder: string; members: number; commits: number; sshPort: number },
): Promise<Targets> {
  const { folder, sshPort } = options;
  const history = await pushHistory(forge, { folder, name: 'history', commits: options.commits });
  const small = await pushHistory(forge, { folder, name: 'small', commits: SMALL_COMMITS });
  const big = await pushBigFile(forge, folder);
  const intruder = await createAccount(forge, 'intruder', folder);
  const lair = await pushLair(forge, intruder, folder);
  const members: Account[] = [];
  for (let index = 0; index < options.members; index += 1) {
    const member = await createAccount(forge, `member-${index}`, folder);
    await createRepository(forge, member, 'desk');
    members.push(member);
  }
  const zeros = await packOfZeros(ZEROS_MIB);
  const careless = await createAccount(forge, 'careless', folder);
  return {
    application: await createApplication(forge),
    pendingSignIn: await beginSignIn(forge.url, careless),
    sshPort,
    hoarder: await createAccount(forge, 'hoarder', folder),
    ...lair,
    url: forge.url,
    owner: forge.login,
    history: history.name,
    commits: history.commits,
    small: small.name,
    big: big.name,
    bigTip: big.tip,
    intruder,
    zeros,
    members,
  };
}

async function createAccount(forge: Forge, name: string, folder: string): Promise<Account> {
  await expect(
    201,
    forge.ask('POST', '/api/v1/admin/users', {
      json: { username: name, password: PASSWORD, email: `${name}@example.org`, must_change_password: false },
    }),
  );
  const signedIn = await forgeByPassword(forge.url, name, PASSWORD);
  const sshKey = await addKey(signedIn, join(folder, `key-of-${name}`));
  return {
    sshKey,
    name,
    password: PASSWORD,
    authorization: `token ${signedIn.token}`,
    remoteOf: (repository) => signedIn.remoteOf(repository),
  };
}

async function addKey(forge: Forge, path: string): Promise<SshKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = encodeEd25519(privateKey);
  await writeFile(path, text, { mode: 0o600 });
  const { type, blob } = encodeSshKey(privateKey);
  const json = { title: 'siege', key: `${type} ${blob.toString('base64')}` };
  await expect(201, forge.ask('POST', '/api/v1/user/keys', { json }));
  return { path, text };
}

async function createApplication(forge: Forge): Promise<Targets['application']> {
  const json = { name: 'siege', redirect_uris: ['http://127.0.0.1/back'], confidential_client: true };
  const { body } = await expect(201, forge.ask('POST', '/api/v1/user/applications/oauth2', { json }));
  const { client_id: id, client_secret: secret } = JSON.parse(body.toString());
  return { id, secret };
}

async function createRepository(forge: Forge, account: Account, name: string): Promise<void> {
  const headers = { authorization: account.authorization };
  const json = { name, default_branch: 'main', auto_init: true };
  await expect(201, forge.ask('POST', '/api/v1/user/repos', { json, headers }));
}

async function expect(status: number, asked: ReturnType<Forge['ask']>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`expected ${status}, not ${answer.status}: ${answer.body}`);
  return answer;
}

async function pushHistory(
  forge: Forge,
  options: { folder: string; name: string; commits: number },
): Promise<{ name: string; commits: string[] }> {
  const bare = await initBare(options.folder, options.name);
  await runGit(['-C', bare, 'fast-import', '--quiet'], historyStream(options.commits));
  const name = await push(forge, bare, options.name);
  const listed = await askGit(['-C', bare, 'rev-list', '--first-parent', 'main']);
  return { name, commits: listed.trim().split('\n') };
}

async function pushBigFile(forge: Forge, folder: string): Promise<{ name: string; tip: string }> {
  const work = join(folder, 'big');
  await mkdir(work);
  await runGit(['init', '-q', '-b', 'main', work]);
  await writeFile(join(work, 'big.bin'), noiseOfBytes(BIG_FILE_BYTES, 5));
  await runGit(['-C', work, 'add', '-A']);
  await runGit(['-C', work, 'commit', '-q', '-m', 'Begin']);
  const tip = (await askGit(['-C', work, 'rev-parse', 'main'])).trim();
  return { name: await push(forge, work, 'big'), tip };
}

/** A few trees that contain each other stand for a billion files. */
async function pushLair(
  forge: Forge,
  intruder: Account,
  folder: string,
): Promise<{ lairTip: string; patterns: string }> {
  await createRepository(forge, intruder, 'lair');
  const bare = await initBare(folder, 'lair');
  const patterns = await hashBlob(bare, '/*\n!/*/\n**/*a*a*a*b\n');
  let entry = `100644 blob ${patterns}`;
  for (let level = 0; level < TREE_DEPTH; level += 1) {
    const lines = Array.from({ length: TREE_WIDTH }, (_, index) => `${entry}\tname-${index}\n`);
    entry = `040000 tree ${await askGit(['-C', bare, 'mktree'], lines.join(''))}`.trim();
  }
  const tree = entry.slice('040000 tree '.length);
  const lairTip = (await askGit(['-C', bare, 'commit-tree', '-m', 'Begin', tree])).trim();
  await runGit(['-C', bare, 'push', '-q', intruder.remoteOf('lair'), `${lairTip}:refs/heads/bomb`]);
  return { lairTip, patterns };
}

async function hashBlob(bare: string, text: string): Promise<string> {
  return (await askGit(['-C', bare, 'hash-object', '-w', '--stdin'], text)).trim();
}

async function initBare(folder: string, name: string): Promise<string> {
  const bare = join(folder, name);
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  return bare;
}

async function push(forge: Forge, from: string, suffix: string): Promise<string> {
  const name = await forge.createRepository(suffix);
  await runGit(['-C', from, 'push', '-q', forge.remoteOf(name), 'main:main']);
  return name;
}
