import { isIn, isPublic, type Network, parseAddress, parseNetwork } from './addresses.ts';

/** What an operator can set. */
export interface OutboundSettings {
  /** hosts and networks that may be reached although they are not public */
  readonly allowed: readonly NetworkOrHost[];
  /** hosts and networks that may not be reached; these come first */
  readonly blocked: readonly NetworkOrHost[];
  readonly ports: readonly PortRange[];
}

/** A network, or the name of a host: `example.org`, or `*.example.org` for all names below it. */
type NetworkOrHost =
  | { readonly kind: 'network'; readonly network: Network }
  | { readonly kind: 'host'; readonly name: string };

interface PortRange {
  readonly from: number;
  readonly to: number;
}

const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;
const PORT_MAX = 65535;

/** @returns undefined for a text that is neither a host nor a network */
export function parseNetworkOrHost(text: string): NetworkOrHost | undefined {
  const network = parseNetwork(text);
  if (network !== undefined) return { kind: 'network', network };
  const name = text.toLowerCase();
  // A name of digits and dots would be an address in one of its unusual forms.
  return HOST.test(name) && !/^[\d.]+$/.test(name) ? { kind: 'host', name } : undefined;
}

/** Parses a port or a range, such as `8000-8999`. @returns undefined for any other text */
export function parsePorts(text: string): PortRange | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  const isValid = range.from >= 1 && range.from <= range.to && range.to <= PORT_MAX;
  return isValid ? range : undefined;
}

export function isPortAllowed({ ports }: OutboundSettings, port: number): boolean {
  return ports.some(({ from, to }) => from <= port && port <= to);
}

/**
 * Whether requests to a host may connect to an address.
 *
 * @param host in lower case, without a dot at its end
 * @param text one of its addresses
 */
export function isAddressAllowed(settings: OutboundSettings, host: string, text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  const isAt = (place: NetworkOrHost) =>
    place.kind === 'network' ? isIn(address, place.network) : isNamed(place.name, host);
  if (settings.blocked.some(isAt)) return false;
  return settings.allowed.some(isAt) || isPublic(address);
}

function isNamed(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
