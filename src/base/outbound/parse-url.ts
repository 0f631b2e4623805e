import { invalid } from '../core/failure.ts';
import { OUTBOUND_LIMITS } from './limits.ts';

/** An address of another server, apart from its credentials. */
export interface OutboundAddress {
  readonly url: URL;
  /** '' for none */
  readonly username: string;
  readonly password: string;
}

/**
 * Parses an address of another server: http or https only.
 *
 * @throws ForgeError `invalid`, with a message that does not repeat the address
 */
export function outboundAddressOf(text: string): OutboundAddress {
  if (text.length > OUTBOUND_LIMITS.outboundUrlCharsMax)
    throw invalid(`an address has at most ${OUTBOUND_LIMITS.outboundUrlCharsMax} characters`);
  // The parser would drop or change these.
  if (/[\p{Cc}\s\\]/u.test(text)) throw invalid('an address cannot hold spaces, control characters or \\');
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw invalid('the address must begin with http:// or https://');
  const url = new URL(text);
  const username = decoded(url.username);
  const password = decoded(url.password);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url, username, password };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    throw invalid('the credentials in the address are malformed', { cause: error });
  }
}
