import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import { startForge } from '../support/forge/forge.ts';
import { git, workingCopy } from '../support/git/git.ts';

export type Entry = readonly [mode: string, name: string | Buffer, oid: string];

/** Writes objects that git would not create into a working copy. */
export class Crafter {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Writes a loose object.
   *
   * @see gitrepository-layout(5)
   */
  async #write(type: string, content: Buffer): Promise<string> {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const oid = createHash('sha1').update(whole).digest('hex');
    const folder = join(this.#folder, '.git/objects', oid.slice(0, 2));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, oid.slice(2)), deflateSync(whole));
    return oid;
  }

  blob(content: string | Buffer): Promise<string> {
    return this.#write('blob', Buffer.from(content));
  }

  /** Writes a tree with these entries, unsorted and unchecked. */
  tree(entries: readonly Entry[]): Promise<string> {
    const rows = entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]);
    return this.#write('tree', Buffer.concat(rows));
  }

  /** @param lines everything after the line `tree` */
  commit(tree: string, lines: string | Buffer): Promise<string> {
    return this.#write('commit', Buffer.concat([Buffer.from(`tree ${tree}\n`), Buffer.from(lines)]));
  }

  tag(lines: string): Promise<string> {
    return this.#write('tag', Buffer.from(lines));
  }

  async ref(name: string, oid: string): Promise<void> {
    await git(this.#folder, ['update-ref', name, oid]);
  }
}

export const SIGNED = 'Ada <ada@example.org> 1700000000 +0000';
export const PLAIN = `author ${SIGNED}\ncommitter ${SIGNED}\n\nm\n`;

/**
 * Starts a forge with the empty repository `ada/engine`, and a working copy to craft objects in. `push` commits trees to
 * branches, by name, and pushes them.
 */
export async function startCrafting(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const folder = await workingCopy(t);
  const crafter = new Crafter(folder);
  const push = async (trees: Readonly<Record<string, string>>) => {
    for (const [branch, tree] of Object.entries(trees))
      await crafter.ref(`refs/heads/${branch}`, await crafter.commit(tree, PLAIN));
    await git(folder, ['push', '-q', ada.remote('ada/engine'), ...Object.keys(trees)]);
  };
  return { forge, ada, folder, crafter, push };
}
