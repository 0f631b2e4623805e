import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import { decodeBase64 } from '../../base/core/text/base64.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { ObjectReading, ObjectStorage } from '../../storage/model.ts';
import type { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { ImageEngine } from './engine.ts';
import { AVATAR_LIMITS } from './limits.ts';
import {
  type AvatarChange,
  type AvatarFile,
  type AvatarSubject,
  avatarName,
  isAvatarName,
  keyOf,
} from './model.ts';
import {
  detachAvatar,
  type FoundAvatar,
  findAccountAvatar,
  findRepositoryAvatar,
  linkAvatar,
  reserveAvatar,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly imageEngine: ImageEngine;
  readonly files: OwnedFiles<AvatarFile, string>;
}

/** Stores the pictures of accounts and repositories, whose features decide who may change them. */
export class AvatarFiles {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Replaces the picture of a subject by a small square of another one. Both its file and its row are durable when this
   * returns.
   *
   * @param image a picture in base64
   * @throws ForgeError `bad_request` for what is not base64; as `ImageEngine.square`; `too_large`; `not_found` if the
   *   subject is gone; any error of `change.authorize`
   */
  async set(image: string, change: AvatarChange): Promise<void> {
    const { imageEngine, files, objects } = this.#use;
    const { subject } = change;
    const png = await imageEngine.square(bytesOf(image));
    const hash = avatarName(subject, png);
    await files.store({
      reserve: reserveAvatar,
      put: async (file) => {
        await objects.put(keyOf(file), oneChunk(png));
      },
      authorize: (tx) => change.authorize(tx),
      link: async (tx, { file, rights: present }) => {
        if (await detachAvatar(tx, subject)) await files.requestCollection(tx);
        if (!(await linkAvatar(tx, file.id, { subject, hash, sizeBytes: png.length }))) return undefined;
        if (present !== hash) await change.write(tx, hash);
        return hash;
      },
    });
  }

  /** Removes the picture of a subject. Does nothing if there is none. @throws any error of `change.authorize` */
  async remove(change: AvatarChange): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const present = await change.authorize(tx);
      await this.release(tx, change.subject);
      if (present !== '') await change.write(tx, '');
    });
  }

  /** Schedules the deletion of the file of a subject, which loses it. */
  async release(tx: Tx, subject: AvatarSubject): Promise<void> {
    if (await detachAvatar(tx, subject)) await this.#use.files.requestCollection(tx);
  }

  /** @throws ForgeError `not_found` unless it is the present picture of an account that the viewer may see */
  async findOfAccount(viewer: Viewer, name: string): Promise<FoundAvatar> {
    const { reader } = this.#use.database;
    const found = isAvatarName(name) ? await findAccountAvatar(reader, viewer, name) : undefined;
    if (found === undefined) throw notFound('avatar');
    return found;
  }

  /** Does not check who may see it. @throws ForgeError `not_found` unless it is the present picture of a repository */
  async findOfRepository(name: string): Promise<AvatarFile & { readonly repositoryId: number }> {
    const { reader } = this.#use.database;
    const found = isAvatarName(name) ? await findRepositoryAvatar(reader, name) : undefined;
    if (found === undefined) throw notFound('avatar');
    return found;
  }

  /** @throws ForgeError `not_found` if it is being deleted; `busy` */
  open(file: AvatarFile): Promise<ObjectReading> {
    return this.#use.objects.get(keyOf(file));
  }
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** @param text may have line breaks, as programs write base64 @throws ForgeError `bad_request`, `too_large` */
function bytesOf(text: string): Buffer {
  const bytesMax = AVATAR_LIMITS.avatarBytesMax;
  const image = text.replaceAll(/[\r\n]/g, '');
  if (image === '') throw invalid('image is empty: send a picture in base64');
  if (image.length > Math.ceil(bytesMax / 3) * 4)
    throw new ForgeError({ kind: 'too_large', what: `a picture has at most ${bytesMax} bytes` });
  const bytes = decodeBase64(image);
  if (bytes === undefined) throw new ForgeError({ kind: 'bad_request', what: 'image is not base64' });
  return bytes;
}
