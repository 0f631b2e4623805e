import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';

/** What a feature registers its routes on: a Fastify whose schemas are TypeBox types. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Addresses that answers name. They come from the settings alone, never from what a request says of itself. */
export interface Addresses {
  /** no slash at the end, such as `http://localhost:3000` */
  readonly baseUrl: string;
  /** `${baseUrl}/api/v1` */
  readonly apiRoot: string;
}

export function addressesOf(baseUrl: string): Addresses {
  return { baseUrl, apiRoot: `${baseUrl}/api/v1` };
}
