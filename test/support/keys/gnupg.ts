import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterTest, type Cleanup } from '../after-test.ts';

const run = promisify(execFile);

/** GnuPG with a folder of its own. */
export interface Gnupg {
  readonly environment: { readonly GNUPGHOME: string };
  /** Runs a command and returns its output. */
  gpg(...args: readonly string[]): Promise<string>;
}

export async function newGnupg(t: Cleanup): Promise<Gnupg> {
  const home = await mkdtemp(join(tmpdir(), 'quire-gpg-'));
  const environment = { GNUPGHOME: home };
  const options = { env: { ...process.env, ...environment } };
  // The agent must end before its folder goes, because the folder leads to it.
  afterTest(t, async () => {
    await run('gpgconf', ['--kill', 'all'], options).catch(() => {});
    await rm(home, { recursive: true, force: true });
  });
  const gpg = async (...args: readonly string[]) =>
    (await run('gpg', ['--batch', '--quiet', ...args], options)).stdout;
  return { environment, gpg };
}

/** Creates a key of GnuPG that signs. */
export async function newGnupgKey(
  t: Cleanup,
  options: { algorithm: string; user?: string; passphrase?: string },
): Promise<Gnupg & { readonly secret: (...args: readonly string[]) => Promise<string> }> {
  const { algorithm, user = 'Ada <ada@example.org>', passphrase = '' } = options;
  const { environment, gpg } = await newGnupg(t);
  const unlock = ['--pinentry-mode', 'loopback', '--passphrase', passphrase];
  await gpg(...unlock, '--quick-generate-key', user, algorithm, 'sign', '1d');
  const secret = (...args: readonly string[]) => gpg(...unlock, '--armor', ...args);
  return { environment, gpg, secret };
}
