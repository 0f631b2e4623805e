import type { FastifyRequest } from 'fastify';
import { FLUSH, pktLine } from '../../git/format/pkt-line.ts';

export const NO_CACHE = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

/** Returns what a response begins with that lists refs or capabilities: gitprotocol-http(5), Smart Server Response. */
export function serviceLine(service: 'git-upload-pack' | 'git-receive-pack'): Buffer {
  return Buffer.concat([pktLine(`# service=${service}\n`), FLUSH]);
}

export function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers['git-protocol'];
  return typeof header === 'string' ? knownProtocol(header) : undefined;
}

/** Ignores every value except the three known versions, because the value becomes part of a child's environment. */
export function knownProtocol(text: string): string | undefined {
  return /^version=[012]$/.test(text) ? text : undefined;
}
