import { type OutboundSettings, parseNetworkOrHost, parsePorts } from '../../base/outbound/rules.ts';
import { ConfigError } from '../config-error.ts';

/**
 * Reads which hosts, addresses and ports the server may connect to.
 *
 * @throws ConfigError
 */
export function outboundSettingsOf(texts: {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly ports: readonly string[];
}): OutboundSettings {
  const place = (flag: string) => (text: string) => {
    const found = parseNetworkOrHost(text);
    if (found !== undefined) return found;
    throw new ConfigError(
      `--${flag} takes hosts and networks, such as example.org, *.example.org or 10.0.0.0/8, not ${text}`,
    );
  };
  const ports = (text: string) => {
    const found = parsePorts(text);
    if (found !== undefined) return found;
    throw new ConfigError(`--outbound-ports takes ports and ranges, such as 443 or 8000-8999, not ${text}`);
  };
  return {
    allowed: texts.allow.map(place('outbound-allow')),
    blocked: texts.block.map(place('outbound-block')),
    ports: texts.ports.map(ports),
  };
}
