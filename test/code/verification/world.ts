import type { TestContext } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';

/** Signs the bytes of a commit or a tag. */
export type Sign = (payload: string) => string | Promise<string>;

export interface CommitOptions {
  /** of the committer */
  readonly email?: string;
  readonly parents?: readonly string[];
  /** changes the commit after it was signed */
  readonly tamper?: (payload: string) => string;
}

let count = 0;

/** A repository in which a test makes signed objects by hand, and which it pushes. */
export class SignedWork {
  readonly folder: string;
  readonly #format: 'sha1' | 'sha256';

  constructor(folder: string, format: 'sha1' | 'sha256') {
    this.folder = folder;
    this.#format = format;
  }

  async commit(sign: Sign | null, options: CommitOptions = {}): Promise<string> {
    const { email = 'ada@example.org', parents = [], tamper = (text: string) => text } = options;
    count += 1;
    const tree = await git(this.folder, ['write-tree']);
    const lines = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author Ben <ben@example.org> ${count} +0000`,
      `committer Ada <${email}> ${count} +0000`,
    ];
    const head = `${lines.join('\n')}\n`;
    const payload = `${head}\nChange ${count}\n`;
    const field = this.#format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256';
    const signature = sign === null ? '' : `${field} ${folded(await sign(payload))}\n`;
    return this.write('commit', tamper(`${head}${signature}\nChange ${count}\n`));
  }

  /** Makes an annotated tag of a commit, with its ref. */
  async tag(name: string, commit: string, sign: Sign | null): Promise<string> {
    const head = `object ${commit}\ntype commit\ntag ${name}\ntagger Ada <ada@example.org> 5 +0000\n`;
    const payload = `${head}\nVersion ${name}\n`;
    const oid = await this.write('tag', payload + (sign === null ? '' : await sign(payload)));
    await git(this.folder, ['update-ref', `refs/tags/${name}`, oid]);
    return oid;
  }

  write(type: 'commit' | 'tag', content: string): Promise<string> {
    return git(this.folder, ['hash-object', '-w', '-t', type, '--stdin'], { input: content });
  }

  async push(who: Person, path: string, ...refs: readonly string[]): Promise<void> {
    await git(this.folder, ['push', '-q', '--force', who.remote(path), ...refs]);
  }
}

function folded(signature: string): string {
  return signature.trimEnd().replaceAll('\n', '\n ');
}

export async function signedWork(
  t: TestContext,
  objectFormat: 'sha1' | 'sha256' = 'sha1',
): Promise<SignedWork> {
  return new SignedWork(await workingCopy(t, { objectFormat }), objectFormat);
}

export const verified = (name: string, key: string, email = 'ada@example.org') => ({
  verified: true,
  reason: `${name} / ${key}`,
  signer: { name, email, username: name },
});

export const notVerified = (reason: string) => ({
  verified: false,
  reason: `gpg.error.${reason}`,
  signer: null,
});
