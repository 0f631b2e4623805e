import type { FastifyRequest } from 'fastify';

/** Returns the last part of the path as it was sent, because the escapes of an address belong to the name of the page. */
export function addressIn({ raw }: Pick<FastifyRequest, 'raw'>): string {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  return path.slice(path.lastIndexOf('/') + 1);
}
