import { isIPv4, isIPv6 } from 'node:net';

const IPV6_GROUPS = 8;
/** A provider assigns at least a /64 to each customer, so all of a /64 counts as one client. */
const IPV6_GROUPS_KEPT = 4;
const MAPPED_IPV4 = /^(?:0{0,4}:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the network from which one client can choose its address: the IPv4 address itself, or the /64 of an IPv6
 * address.
 */
export function addressGroup(address: string): string {
  if (isIPv4(address)) return address;
  const [withoutZone = ''] = address.split('%');
  const mapped = MAPPED_IPV4.exec(withoutZone)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(withoutZone)) return address;
  const [head = '', tail] = withoutZone.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, IPV6_GROUPS_KEPT);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
