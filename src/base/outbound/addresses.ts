import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address with the number of its first bits that count. */
export type Network = readonly [address: Address, bits: number];

/** Only these are addresses of machines on the internet: RFC 4291, section 2.4. All others embed or mean something else. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns the name or the address of the host of a URL: an IPv6 address without brackets, a name without a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Parses an address in its only usual form. Other forms, such as `0177.0.0.1`, and addresses with a zone have none.
 *
 * @returns undefined for any other text
 */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.parse(text);
}

/**
 * Parses an address or a network, such as `10.0.0.0/8`.
 *
 * @returns undefined for any other text
 */
export function parseNetwork(text: string): Network | undefined {
  const [start = '', bits, ...rest] = text.split('/');
  const address = parseAddress(start);
  if (address === undefined || rest.length > 0) return undefined;
  const bitsMax = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, bitsMax];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax ? [address, Number(bits)] : undefined;
}

export function isIn(address: Address, [start, bits]: Network): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

/**
 * Whether an address is one of the internet, and reaches no other address. It is not if it is loopback, private,
 * link-local, of a carrier, multicast, unspecified or reserved, or if it embeds an IPv4 address (mapped, compatible,
 * NAT64, 6to4, Teredo).
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isIn(address, GLOBAL_UNICAST);
}
