import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type ssh2 from 'ssh2';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import type { Authority } from './certificates.ts';
import { connectAs, endOf, exec, type KeyFile, newKeyFile, portOf, sshOptions } from './ssh-stage.ts';

/** How a command ended. */
export interface Ended {
  readonly isDone: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** One caller over SSH. */
export interface SshCaller {
  readonly title: string;
  /** Runs a command; without one, asks for a shell. `undefined`: this machine cannot be the caller. */
  run(command: string | undefined, input: Uint8Array): Promise<Ended | undefined>;
}

/** Repositories of the tables, by what they are. */
export const REPOSITORIES = {
  public: 'ada/open',
  private: 'ada/closed',
  archived: 'ada/old',
  "an organization's": 'guild/loom',
} as const;
const OTHER_REPOSITORY = 'zoe/other';

/** Permissions of the people who may write or read, in each repository. */
const COLLABORATORS = { writer: 'write', reader: 'read', unprotected: 'write', disabled: 'write' } as const;

async function createPeople(forge: TestForge): Promise<ReadonlyMap<string, Person>> {
  const people = new Map<string, Person>();
  for (const name of ['ada', 'zoe', 'stranger', ...Object.keys(COLLABORATORS)])
    people.set(name, await forge.account(name));
  return people;
}

function personIn(people: ReadonlyMap<string, Person>, name: string): Person {
  const person = people.get(name);
  if (person === undefined) throw new Error(`unknown person ${name}`);
  return person;
}

async function createRepositories(ada: Person, zoe: Person): Promise<void> {
  await ada.post('/api/v1/orgs', { username: 'guild' });
  for (const [kind, path] of Object.entries(REPOSITORIES)) {
    const [owner, name] = path.split('/');
    const isPrivate = kind === 'private' || owner === 'guild';
    const options = { name, private: isPrivate, auto_init: true };
    await ada.post(owner === 'guild' ? '/api/v1/orgs/guild/repos' : '/api/v1/user/repos', options);
    for (const [collaborator, permission] of Object.entries(COLLABORATORS))
      await ada.put(`/api/v1/repos/${path}/collaborators/${collaborator}`, { permission });
    await ada.post(`/api/v1/repos/${path}/wiki/new`, { title: 'Home', content_base64: 'SG9tZQo=' });
  }
  await zoe.repository('other', { private: true, auto_init: true });
}

/** Creates the repositories and the callers of the tables. */
export async function startCallers(
  t: TestContext,
  forge: TestForge,
  authority: Authority | undefined,
): Promise<readonly SshCaller[]> {
  const people = await createPeople(forge);
  const [ada, zoe] = [personIn(people, 'ada'), personIn(people, 'zoe')];
  await createRepositories(ada, zoe);
  const ofUser = async (title: string, name: string) => {
    const key = await newKeyFile(t);
    await accepted(personIn(people, name).post('/api/v1/user/keys', { title: 'laptop', key: key.line }));
    return connected(t, forge, { title, key });
  };
  const ofRepositories = async (title: string, paths: readonly string[], readOnly: boolean) => {
    const key = await newKeyFile(t);
    const body = { title, key: key.line, read_only: readOnly };
    for (const path of paths)
      await accepted((path === OTHER_REPOSITORY ? zoe : ada).post(`/api/v1/repos/${path}/keys`, body));
    return connected(t, forge, { title, key });
  };
  const all = Object.values(REPOSITORIES);
  const callers = [
    await connected(t, forge, { title: 'unknown key', key: await newKeyFile(t) }),
    await ofUser('owner', 'ada'),
    await ofUser('writer', 'writer'),
    await ofUser('reader', 'reader'),
    await ofUser('stranger', 'stranger'),
    await ofUser('writer without the required second factor', 'unprotected'),
    await ofUser('disabled writer', 'disabled'),
    certified(forge, { title: 'writer, certificate', key: await authority?.certify('writer') }),
    await ofRepositories('deploy key: read', all, true),
    await ofRepositories('deploy key: write', all, false),
    await ofRepositories('deploy key of another repository: read', [OTHER_REPOSITORY], true),
    await ofRepositories('deploy key of another repository: write', [OTHER_REPOSITORY], false),
  ];
  await changeAccounts(forge);
  await ada.patch(`/api/v1/repos/${REPOSITORIES.archived}`, { archived: true });
  return callers;
}

async function accepted(sent: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text: why } = await sent;
  if (status !== 201) throw new Error(`cannot add a key: ${status} ${why}`);
}

async function changeAccounts(forge: TestForge): Promise<void> {
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('accounts').set({ needs_second_factor: 1 }).where('name', '=', 'unprotected').execute(),
  );
  await forge.root.patch('/api/v1/admin/users/disabled', { prohibit_login: true });
}

/** Connects once, for all commands of a caller. */
async function connected(
  t: TestContext,
  forge: TestForge,
  { title, key }: { readonly title: string; readonly key: KeyFile },
): Promise<SshCaller> {
  const { client, error } = await connectAs(t, forge, { privateKey: key.text });
  return {
    title,
    async run(command, input) {
      if (error !== undefined) return { isDone: false, stdout: Buffer.alloc(0), stderr: 'cannot sign in' };
      const { code, ...rest } = await (command === undefined
        ? greeted(client)
        : exec(client, command, input));
      return { isDone: code === 0, ...rest };
    },
  };
}

async function greeted(client: ssh2.Client) {
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.shell(false, (error, shell) => (error === undefined ? resolve(shell) : reject(error))),
  );
  return endOf(channel);
}

/** Runs the real client for each command: the library does not know certificates. */
function certified(
  forge: TestForge,
  { title, key }: { readonly title: string; readonly key: KeyFile | undefined },
): SshCaller {
  return {
    title,
    async run(command, input) {
      if (key === undefined) return undefined;
      const end = command === undefined ? [] : [command];
      const args = [...sshOptions(key), '-p', `${portOf(forge)}`, 'git@127.0.0.1', ...end];
      const child = spawn('ssh', args);
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
      return { isDone: (await exited) === 0, stdout, stderr };
    },
  };
}
