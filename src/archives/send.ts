import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ArchiveFormat } from '../git/archives/model.ts';
import type { Addresses } from '../http/app.ts';
import { isNotModified, readRange } from '../http/conditional.ts';
import { headerTime } from '../http/time.ts';
import { repositoryAddresses } from '../repositories/present.ts';
import type { ObjectRange, StoredObject } from '../storage/model.ts';
import { type ArchiveLocation, contentName, downloadName } from './model.ts';
import type { Archives } from './service.ts';

const CONTENT_TYPES: Readonly<Record<ArchiveFormat, string>> = {
  zip: 'application/zip',
  'tar.gz': 'application/gzip',
  bundle: 'application/octet-stream',
};
const CACHE = { 'cache-control': 'private, max-age=300' };

interface Sending {
  readonly archives: Archives;
  readonly addresses: Addresses;
  readonly servesDirect: boolean;
  readonly location: ArchiveLocation;
}

/**
 * Sends an archive: from the object store, or while it is being built.
 *
 * @throws ForgeError `busy`; `invalid` if the commit is too large for an archive
 */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  sending: Sending,
): Promise<FastifyReply> {
  const { archives, location } = sending;
  reply.header('etag', tagOf(location));
  // Before anything is looked up.
  if (isNotModified(request, reply)) return reply.code(304).headers(CACHE).send();
  reply.removeHeader('etag');
  const stored = await archives.find(location);
  return stored === undefined
    ? sendBuilt(request, reply, sending)
    : sendStored(request, reply, { ...sending, stored });
}

async function sendBuilt(
  request: FastifyRequest,
  reply: FastifyReply,
  sending: Sending,
): Promise<FastifyReply> {
  const { archives, location } = sending;
  if (request.method === 'HEAD') return reply.headers(headersOf(sending, Date.now())).send();
  const archive = await archives.build(location, request.log);
  return reply.headers(headersOf(sending, Date.now())).send(archive);
}

async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  sending: Sending & { stored: StoredObject },
): Promise<FastifyReply> {
  const { archives, location, stored } = sending;
  const url = sending.servesDirect ? await archives.addressOf(location, fileOf(location)) : undefined;
  if (url !== undefined)
    return reply.headers({ location: url, 'cache-control': 'no-store' }).code(302).send();
  const { sizeBytes } = stored;
  const described = { ...headersOf(sending, stored.modifiedAt), 'accept-ranges': 'bytes' };
  // Ranges are only for GET: RFC 9110, section 14.2.
  const range = request.method === 'HEAD' ? 'whole' : readRange(request, sizeBytes, contentName(location));
  if (isUnmodifiedSince(request, reply, stored)) return reply.code(304).headers(described).send();
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send();
  if (request.method === 'HEAD') return reply.headers({ ...described, 'content-length': sizeBytes }).send();
  const part = range === 'whole' ? undefined : range;
  const archive = await archives.open(location, part);
  // It was removed in between.
  if (archive === undefined) return sendBuilt(request, reply, sending);
  describeLength(reply, sizeBytes, part);
  return reply.headers(described).send(archive);
}

function isUnmodifiedSince(request: FastifyRequest, reply: FastifyReply, stored: StoredObject): boolean {
  if (request.headers['if-none-match'] !== undefined) return false;
  reply.header('last-modified', headerTime(stored.modifiedAt));
  return isNotModified(request, reply);
}

function describeLength(reply: FastifyReply, sizeBytes: number, range: ObjectRange | undefined): void {
  const { start = 0, end = sizeBytes - 1 } = range ?? {};
  reply.header('content-length', end - start + 1);
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
}

function headersOf({ location, addresses }: Sending, createdAt: number) {
  const { repository, commit, format } = location;
  const { url } = repositoryAddresses(repository, addresses);
  const { name, contentType } = fileOf(location);
  return {
    ...CACHE,
    etag: tagOf(location),
    'last-modified': headerTime(createdAt),
    'content-type': contentType,
    'content-disposition': contentDisposition(name, { type: 'attachment' }),
    'access-control-expose-headers': 'Content-Disposition',
    'content-security-policy': "default-src 'none'; sandbox",
    // Nix locks such an address.
    link: `<${url}/archive/${commit}.${format}?rev=${commit}>; rel="immutable"`,
  };
}

function fileOf(location: ArchiveLocation): { name: string; contentType: string } {
  return { name: downloadName(location), contentType: CONTENT_TYPES[location.format] };
}

/** git does not always pack a history in the same way, so two bundles of one commit may differ. */
function tagOf(location: ArchiveLocation): string {
  const tag = `"${contentName(location)}"`;
  return location.format === 'bundle' ? `W/${tag}` : tag;
}
