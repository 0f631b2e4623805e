import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';

/** Fastify with TypeBox schemas. Features register their routes on it. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Addresses in responses. They come only from the settings, never from headers of a request. */
export interface Addresses {
  /** without a slash at the end, for example `http://localhost:3000` */
  readonly baseUrl: string;
  /** `${baseUrl}/api/v1` */
  readonly apiRoot: string;
  /** where git finds the server over SSH; absent: nowhere */
  readonly ssh?: SshAddress | undefined;
}

export interface SshAddress {
  /** a name, an IPv4 address, or an IPv6 address in brackets */
  readonly host: string;
  readonly port: number;
}

/** Returns the path of the base URL without a slash at the end: '' for most. A proxy removes it from requests. */
export function basePathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}

export function addressesOf(baseUrl: string): Addresses {
  return { baseUrl, apiRoot: `${baseUrl}/api/v1` };
}
