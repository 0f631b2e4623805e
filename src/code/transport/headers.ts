import type { FastifyRequest } from 'fastify';

export const NO_CACHE = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

/** Ignores every value except the three known versions, because the value becomes part of a child's environment. */
export function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers['git-protocol'];
  return typeof header === 'string' && /^version=[012]$/.test(header) ? header : undefined;
}
