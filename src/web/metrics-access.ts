import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { SERVER } from '../api/access/actions.ts';
import { requireGranted } from '../api/access/guard.ts';
import { decidePlain } from '../api/access/policy.ts';
import type { MetricsAccess } from '../http/metrics-readers.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that proxies add. A request with one of them comes from elsewhere, even if the proxy is on this machine. */
const OF_PROXIES = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** @throws ForgeError `unauthenticated`, `forbidden` */
export function requireMetricsAccess(request: FastifyRequest, access: MetricsAccess): void {
  if (access === 'everyone' || (access === 'loopback' && isFromThisMachine(request))) return;
  requireGranted(decidePlain(request.viewer, SERVER.readMetrics), SERVER.readMetrics);
}

/** Whether the client itself, and not only a proxy, is on this machine. */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined || OF_PROXIES.some((name) => name in headers)) return false;
  return LOOPBACK.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4');
}
