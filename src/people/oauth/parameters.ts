import { isStorableText } from '../../base/core/text/text.ts';
import { oauthFailure } from '../oauth-grants/service.ts';

/** Parameters of a request: of an address, of a form, or members of a JSON body. */
export class OAuthParameters {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  /** Reads the query of an address. */
  static ofQuery(url: string): OAuthParameters {
    const at = url.indexOf('?');
    return new OAuthParameters(new URLSearchParams(at === -1 ? '' : url.slice(at + 1)));
  }

  /**
   * Reads the body of a request.
   *
   * @throws ForgeError `bad_request`
   */
  static ofBody(body: unknown): OAuthParameters {
    if (body instanceof URLSearchParams) return new OAuthParameters(body);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw oauthFailure('invalid_request', 'send the parameters as a form or as a JSON object');
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(body)) {
      if (value === null) continue;
      if (typeof value !== 'string') throw oauthFailure('invalid_request', `${name} must be a text`);
      values.append(name, value);
    }
    return new OAuthParameters(values);
  }

  /**
   * Returns a parameter; undefined if it is missing or empty, which is the same: RFC 6749, section 3.1.
   *
   * @throws ForgeError `bad_request` if the request has it twice
   */
  get(name: string): string | undefined {
    const [value = '', ...more] = this.#values.getAll(name);
    if (more.length > 0) throw oauthFailure('invalid_request', `${name} must not be repeated`);
    if (!isStorableText(value)) throw oauthFailure('invalid_request', `${name} has control characters`);
    return value === '' ? undefined : value;
  }

  /** @throws ForgeError `bad_request` */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw oauthFailure('invalid_request', `${name} is missing`);
    return value;
  }
}
