import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/git/git.ts';
import { isInstalled } from '../../support/tools.ts';
import { type KeyFile, newKeyFile } from './ssh-stage.ts';

const run = promisify(execFile);

export const whyNoKeygen = (await isInstalled('ssh-keygen')) ? false : 'ssh-keygen is not installed';

/** An authority that signs certificates with the real ssh-keygen. */
export interface Authority {
  /** file with its public key, for the server */
  readonly file: string;
  /** Makes a key with a certificate beside it, which the real ssh client finds. */
  certify(principals: string, options?: readonly string[], key?: KeyFile): Promise<KeyFile>;
}

export async function newAuthority(
  t: TestContext,
  type: 'ed25519' | 'rsa' | 'ecdsa' = 'ed25519',
): Promise<Authority> {
  const authority = await newKeyFile(t, type);
  const file = join(await temporaryFolder(t), 'authorities');
  await writeFile(file, `# authorities\n${authority.line}\n`);
  return {
    file,
    async certify(principals, options = [], key) {
      const certified = key ?? (await newKeyFile(t));
      await chmod(authority.path, 0o600);
      const names = principals === '' ? [] : ['-n', principals];
      await run('ssh-keygen', [
        ...['-q', '-s', authority.path, '-I', 'laptop of ada', ...names, '-V', '-5m:+1h'],
        ...[...options, `${certified.path}.pub`],
      ]);
      return certified;
    },
  };
}
