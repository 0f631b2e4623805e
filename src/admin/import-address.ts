import { invalid } from '../base/core/failure.ts';
import { outboundAddressOf } from '../base/outbound/parse-url.ts';

/**
 * Reads the address of a server from which a command imports.
 *
 * @throws ForgeError `invalid`
 */
export function importAddressOf(text: string): URL {
  const { url, username, password } = outboundAddressOf(text);
  if (username !== '' || password !== '')
    throw invalid('the address cannot have credentials: other users of the machine can see it');
  url.search = '';
  return url;
}
