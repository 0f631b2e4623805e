import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline } from 'node:stream';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import { FOLDER_MODE } from '../../base/core/files/durable-files.ts';
import type { Engine } from '../engine.ts';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import {
  fillRepositoryFolder,
  type GitDir,
  randomName,
  stagedRoot,
  unadoptedRoot,
} from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import type { UnadoptedPath, UnadoptedRepositories, UnadoptedRepository } from '../interface/unadopted.ts';
import { GIT_LIMITS } from '../limits.ts';
import { startGit } from '../processes/child.ts';
import { isPlainFolder, linkPlainFile, namesIn } from './plain-files.ts';
import { readHead, readObjectFormat, readRefs, tooMuch } from './read-refs.ts';

type Needs = Pick<Engine, 'root' | 'liveFolders' | 'transfers'>;

/** No name of an owner or a repository begins with a dot, and none has a slash. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const ENDING = '.git';
/** Folders that are being deleted. */
const DELETED = '.deleted-';

export class LocalUnadopted implements UnadoptedRepositories {
  readonly #engine: Needs;
  readonly #root: string;

  constructor(engine: Needs) {
    this.#engine = engine;
    this.#root = unadoptedRoot(engine.root);
  }

  async list(): Promise<readonly UnadoptedPath[]> {
    const found: UnadoptedPath[] = [];
    const owners = (await namesIn(this.#root)).folders.filter((owner) => NAME.test(owner)).sort();
    for (const owner of owners) {
      const { folders } = await namesIn(join(this.#root, owner));
      const names = folders
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length));
      found.push(
        ...names
          .filter((name) => NAME.test(name))
          .sort()
          .map((name) => ({ owner, name })),
      );
      if (found.length > GIT_LIMITS.unadoptedMax)
        throw new ForgeError({ kind: 'too_large', what: 'there are too many unadopted repositories' });
    }
    return found;
  }

  async open(path: UnadoptedPath): Promise<UnadoptedRepository> {
    const folder = await this.#find(path);
    const objectFormat = await readObjectFormat(folder);
    const head = await readHead(folder);
    const { refs, hasOthers } = await readRefs(folder, objectFormat);
    const staged = await this.#stage(folder, objectFormat);
    return {
      objectFormat,
      head,
      refs,
      hasOtherRefs: hasOthers,
      readPack: (tips, receive) => readPack(this.#engine, staged, tips, receive),
      [Symbol.asyncDispose]: () => this.#discard(staged),
    };
  }

  async remove(path: UnadoptedPath): Promise<void> {
    const folder = await this.#find(path);
    const deleted = join(this.#root, `${DELETED}${randomName()}`);
    // From here on, the repository is neither listed nor adopted.
    if ((await undefinedIfMissing(rename(folder, deleted).then(() => true))) !== true) throw missing();
    await rm(deleted, { recursive: true, force: true });
  }

  /** @throws ForgeError `not_found`, also if a part of the path is a symbolic link */
  async #find({ owner, name }: UnadoptedPath): Promise<string> {
    if (!NAME.test(owner) || !NAME.test(name)) throw missing();
    const folders = [this.#root, join(this.#root, owner), join(this.#root, owner, `${name}${ENDING}`)];
    for (const folder of folders) if (!(await isPlainFolder(folder))) throw missing();
    return folders.at(-1) ?? '';
  }

  /** Makes a repository of this server with the objects of another one. git reads only files of this one. */
  async #stage(folder: string, format: ObjectFormat): Promise<string> {
    const root = stagedRoot(this.#engine.root);
    await mkdir(root, { recursive: true, mode: FOLDER_MODE });
    const staged = join(root, randomName());
    this.#engine.liveFolders.add(staged);
    try {
      await fillRepositoryFolder(staged, format);
      await linkObjects(join(folder, 'objects'), join(staged, 'objects'));
      return staged;
    } catch (error) {
      await this.#discard(staged);
      throw error;
    }
  }

  async #discard(staged: string): Promise<void> {
    await rm(staged, { recursive: true, force: true });
    this.#engine.liveFolders.delete(staged);
  }
}

/** Links the packs and the loose objects of a folder `objects`, and nothing else of it. */
async function linkObjects(from: string, to: string): Promise<void> {
  const packs = (await namesIn(join(from, 'pack'))).files.filter((name) =>
    /^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name),
  );
  if (packs.length > GIT_LIMITS.unadoptedFilesMax) throw tooMuch('packs');
  for (const name of packs) await linkPlainFile(join(from, 'pack', name), join(to, 'pack', name));
  let count = packs.length;
  const shards = (await namesIn(from)).folders.filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const shard of shards) {
    const loose = (await namesIn(join(from, shard))).files.filter((name) => /^[0-9a-f]{38,62}$/.test(name));
    count += loose.length;
    if (count > GIT_LIMITS.unadoptedFilesMax) throw tooMuch('loose objects');
    await mkdir(join(to, shard), { mode: FOLDER_MODE });
    for (const name of loose) await linkPlainFile(join(from, shard, name), join(to, shard, name));
  }
}

/** @param staged a folder that this server has filled, so git may read it */
async function readPack(
  { transfers }: Needs,
  staged: string,
  tips: readonly Oid[],
  receive: (pack: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const child = await startGit(
    {
      args: ['pack-objects', '-q', '--revs', '--stdout', '--delta-base-offset'],
      settings: ['pack.threads=2', 'pack.windowMemory=128m'],
      gitDir: staged as GitDir,
    },
    { slots: transfers.fetch, hasLowPriority: true, deadlineMs: GIT_LIMITS.unadoptedReadMs },
  );
  // Reads from the start, because output that arrives before a reader exists is lost when the child ends.
  const pack = new PassThrough();
  pipeline(child.stdout, pack, () => {});
  child.stdin.end([...tips, ''].join('\n'));
  const rejection = await receive(pack).then(
    () => undefined,
    (error: unknown) => error,
  );
  const hasMore = !child.stdout.readableEnded && !child.stdout.destroyed;
  if (hasMore) child.end();
  const exit = await child.done;
  // A pack that ends early is rejected. The failure of its sender is the more useful error.
  if (!hasMore && exit.exitCode !== 0)
    throw invalid('objects of the repository are missing or broken: check it with git fsck');
  if (rejection !== undefined) throw rejection;
}

function missing(): ForgeError {
  return notFound('unadopted repository');
}
