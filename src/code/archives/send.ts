import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../base/core/text/content-disposition.ts';
import type { ArchiveFormat } from '../../git/interface/transfers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { isNotModified } from '../../http/conditional.ts';
import { sendElsewhere } from '../../http/send-elsewhere.ts';
import { headerTime } from '../../http/time.ts';
import { sendObject } from '../object-downloads/send-object.ts';
import { type ArchiveLocation, downloadName, type FoundArchive, isContentName } from './model.ts';
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
  const known = await knownTag(request, sending);
  if (known !== undefined) reply.header('etag', known);
  // The date of the commit, so that it is the same before and after an archive is built.
  reply.header('last-modified', headerTime(location.committedAt));
  if (isNotModified(request, reply)) return reply.code(304).headers(CACHE).send();
  if (known !== undefined) reply.removeHeader('etag');
  countAtEnd(request, reply, sending);
  const found = await archives.find(location);
  return found === undefined
    ? sendBuilt(request, reply, sending)
    : sendStored(request, reply, { ...sending, found });
}

/**
 * Returns the tag that the client has, or else the current one, if the request names any. All bundles of a commit unpack
 * to the same, so a client that has one needs no other.
 */
async function knownTag(
  request: FastifyRequest,
  { archives, location }: Sending,
): Promise<string | undefined> {
  const header = request.headers['if-none-match'];
  if (header === undefined) return undefined;
  // Before anything is looked up.
  for (const [, name = ''] of header.matchAll(/"([^"]*)"/g))
    if (isContentName(location, name)) return `"${name}"`;
  const current = header.trim() === '*' ? await archives.nameOf(location) : undefined;
  return current === undefined ? undefined : `"${current}"`;
}

/** Statuses of a download of the whole archive: by this server, and by the object store. */
const COUNTED: ReadonlySet<number> = new Set([200, 302]);

/** Counts the download once all of it has been sent. */
function countAtEnd(request: FastifyRequest, reply: FastifyReply, { archives, location }: Sending): void {
  if (request.method !== 'GET') return;
  reply.raw.once('finish', () => {
    if (!COUNTED.has(reply.statusCode)) return;
    archives.downloaded
      .notify(location)
      .catch((error) => request.log.warn({ err: error }, 'cannot count a download'));
  });
}

async function sendBuilt(
  request: FastifyRequest,
  reply: FastifyReply,
  sending: Sending,
): Promise<FastifyReply> {
  const { archives, location } = sending;
  if (request.method === 'HEAD') {
    const name = await archives.nameOf(location);
    return reply.headers(headersOf(sending, name)).send();
  }
  const { name, bytes } = await archives.build(location, request.log);
  return reply.headers(headersOf(sending, name)).send(bytes);
}

async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  sending: Sending & { found: FoundArchive },
): Promise<FastifyReply> {
  const { archives, location, found } = sending;
  const { name, stored } = found;
  if (sending.servesDirect) {
    const { name: fileName, contentType } = fileOf(location);
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const url = await archives.addressOf(location, found, { method, fileName, contentType });
    return sendElsewhere(reply, url);
  }
  const isSent = await sendObject(request, reply, {
    stored,
    tag: name,
    headers: headersOf(sending, name),
    open: (range) => archives.open(location, found, range),
  });
  // It was removed in between.
  return isSent ? reply : sendBuilt(request, reply, sending);
}

/** @param contentName of the bytes; undefined for a bundle that is yet to be built */
function headersOf({ location, addresses }: Sending, contentName: string | undefined) {
  const { repository, commit, committedAt, format } = location;
  const { url } = repositoryAddresses(repository, addresses);
  const { name, contentType } = fileOf(location);
  return {
    ...CACHE,
    ...(contentName === undefined ? {} : { etag: `"${contentName}"` }),
    'last-modified': headerTime(committedAt),
    'content-type': contentType,
    'content-disposition': contentDisposition('attachment', name),
    'access-control-expose-headers': 'Content-Disposition',
    'content-security-policy': "default-src 'none'; sandbox",
    // Nix locks such an address.
    link: `<${url}/archive/${commit}.${format}?rev=${commit}>; rel="immutable"`,
  };
}

function fileOf(location: ArchiveLocation): { name: string; contentType: string } {
  return { name: downloadName(location), contentType: CONTENT_TYPES[location.format] };
}
