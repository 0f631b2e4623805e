import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../support/after-test.ts';
import { git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { newGnupg, newGnupgKey } from '../../support/keys/gnupg.ts';

export const run = promisify(execFile);

/** A key with which a server of a test signs, made by the program that operators have. */
export interface KeyPair {
  /** of the private key */
  readonly file: string;
  /** of the public key */
  readonly publicFile: string;
  /** as signatures name it */
  readonly name: string;
}

export async function newSshPair(t: Cleanup, type = 'ed25519'): Promise<KeyPair> {
  const file = join(await temporaryFolder(t), 'id');
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'server', '-f', file]);
  const { stdout } = await run('ssh-keygen', ['-l', '-f', file]);
  return { file, publicFile: `${file}.pub`, name: stdout.split(' ')[1] ?? '' };
}

export async function newOpenPgpFile(t: Cleanup, algorithm = 'ed25519', passphrase = ''): Promise<KeyPair> {
  const user = 'Server <server@example.org>';
  const { gpg, secret } = await newGnupgKey(t, { algorithm, user, passphrase });
  const folder = await temporaryFolder(t);
  const [file, publicFile] = [join(folder, 'secret.asc'), join(folder, 'public.asc')];
  await writeFile(file, await secret('--export-secret-keys'));
  await writeFile(publicFile, await gpg('--armor', '--export'));
  const listed = await gpg('--list-keys', '--with-colons', '--keyid-format', 'long');
  return { file, publicFile, name: /^pub:[^:]*:[^:]*:[^:]*:([0-9A-F]{16}):/m.exec(listed)?.[1] ?? '' };
}

export const NEW_PAIR = { SSH: newSshPair, OpenPGP: newOpenPgpFile } as const;
export const TOOL = { SSH: 'ssh-keygen', OpenPGP: 'gpg' } as const;

/** Returns a function with which git itself verifies a commit. */
export async function verifierWith(t: Cleanup, publicText: string) {
  const { environment, gpg } = await newGnupg(t);
  const folder = await temporaryFolder(t);
  const file = join(folder, 'key');
  await writeFile(file, publicText.startsWith('-----') ? publicText : `quire@example.org ${publicText}`);
  if (publicText.startsWith('-----')) await gpg('--import', file);
  return async (repository: string, commit: string): Promise<boolean> => {
    const config = `gpg.ssh.allowedSignersFile=${file}`;
    const args = ['-c', config, 'verify-commit', commit];
    return (await tryGit(repository, args, { environment })).exitCode === 0;
  };
}

/** Requires that git finds every commit of a repository signed, and that no commit is missing. */
export async function requireAllSigned(
  verify: (repository: string, commit: string) => Promise<boolean>,
  repository: string,
  subjects: readonly string[],
): Promise<void> {
  const log = await git(repository, ['log', '--all', '--format=%H %s', '--reverse', '--topo-order']);
  const commits = log.split('\n').map((line) => ({ oid: line.split(' ', 1)[0] ?? '', line }));
  for (const { oid, line } of commits) assert.equal(await verify(repository, oid), true, line);
  assert.deepEqual(commits.map(({ line }) => line.replace(/^\S+ /, '')).toSorted(), subjects.toSorted());
}
