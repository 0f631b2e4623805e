import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFailure } from '../../../base/core/failure.ts';
import type { ObjectReader, RepositoryId } from '../../../git/interface/snapshot.ts';
import type { LfsObject } from '../../../hosting/lfs/model.ts';
import { LFS_POINTER_BYTES_MAX, parseLfsPointer } from '../../../hosting/lfs/pointer.ts';
import { sendObject } from '../../../hosting/lfs/send.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import { sendElsewhere } from '../../../http/send-elsewhere.ts';
import type { ContentsLocation } from '../model.ts';
import type { ContentsReader, RawFile } from '../read.ts';
import { SNIFF_BYTES, sniffType } from '../sniff.ts';
import { describeFile, sendFile } from './raw.ts';

interface Sending {
  readonly reading: ContentsReader;
  readonly files: LargeFiles;
  readonly location: ContentsLocation;
}

/**
 * Sends one file: the object behind a pointer if the repository has it, otherwise the file as it is in the commit.
 *
 * @throws ForgeError `not_found`, `busy`
 */
export async function sendMedia(
  request: FastifyRequest,
  reply: FastifyReply,
  { reading, files, location }: Sending,
): Promise<FastifyReply> {
  const file = await reading.openRaw(location);
  const { repository, snapshot } = location;
  const object = await findObject(files, { repositoryId: repository.id, objects: snapshot.objects }, file);
  if (object === undefined) return sendFile(request, reply, file);
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const url = await files.addressOf(object, file.name, method);
  if (url !== null) {
    describeFile(reply, { ...file, oid: object.oid });
    return sendElsewhere(reply.removeHeader('etag'), url);
  }
  const type = await typeOfObject(files, object);
  if (type === undefined) return sendFile(request, reply, file);
  describeFile(reply, { ...file, oid: object.oid });
  return sendObject(request, reply.type(type), { files, object });
}

/** Finds the object to which a file points, if the repository has it. */
export async function findObject(
  files: LargeFiles,
  { repositoryId, objects }: { repositoryId: RepositoryId; objects: ObjectReader },
  { oid, sizeBytes }: Pick<RawFile, 'oid' | 'sizeBytes'>,
): Promise<LfsObject | undefined> {
  if (sizeBytes > LFS_POINTER_BYTES_MAX) return undefined;
  const blob = await objects.readBlob(oid, { blobBytesMax: LFS_POINTER_BYTES_MAX });
  const pointer = parseLfsPointer(blob);
  return pointer === undefined ? undefined : files.find(repositoryId, pointer.oid);
}

/** Finds the media type of an object from its first bytes; undefined if its bytes are missing. */
export async function typeOfObject(files: LargeFiles, object: LfsObject): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    const { body } = await files.open(
      object,
      object.sizeBytes === 0 ? undefined : { start: 0, end: SNIFF_BYTES - 1 },
    );
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    if (isFailure(error, 'not_found')) return undefined;
    throw error;
  }
  return sniffType(Buffer.concat(chunks), object.sizeBytes);
}
