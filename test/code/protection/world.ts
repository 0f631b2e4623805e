import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, type GitRun, git, temporaryFolder, tryGit } from '../../support/git/git.ts';

export const ENGINE = '/api/v1/repos/ada/engine';
export const PROTECTIONS = `${ENGINE}/branch_protections`;
export const TAG_PROTECTIONS = `${ENGINE}/tag_protections`;

/** Creates ada's repository `engine` with one commit, and ben, who may write to it. */
export async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  return { forge, ada, ben, database: forge.forge.running.engines.database };
}

export async function protect(who: Person, name: string, options: Record<string, unknown> = {}) {
  const created = await who.post(PROTECTIONS, { rule_name: name, ...options });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** A clone of the repository, from which its user pushes. */
export class Clone {
  readonly folder: string;
  readonly #remote: string;

  constructor(folder: string, remote: string) {
    this.folder = folder;
    this.#remote = remote;
  }

  git(...args: readonly string[]): Promise<string> {
    return git(this.folder, args);
  }

  /** Writes files and commits them. */
  async commit(...paths: readonly string[]): Promise<string> {
    for (const path of paths) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), `${performance.now()}\n`);
    }
    return commitAll(this.folder, `Change ${paths.join(', ')}`);
  }

  push(...args: readonly string[]): Promise<GitRun> {
    return tryGit(this.folder, ['push', this.#remote, ...args]);
  }

  /** @throws if the server takes the push, or rejects it for another reason */
  async requireDenied(reason: RegExp, ...args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await this.push(...args);
    assert.notEqual(exitCode, 0, `the push of ${args.join(' ')} was not denied`);
    assert.match(stderr, reason);
  }

  async requireTaken(...args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await this.push(...args);
    assert.equal(exitCode, 0, stderr);
  }
}

export async function cloneFor(t: TestContext, who: Person): Promise<Clone> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', who.remote('ada/engine'), '.']);
  return new Clone(folder, who.remote('ada/engine'));
}
