import type { FailureKind } from '../../base/core/failure.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import type { Action } from '../access/actions.ts';

/** A JSON Schema, as far as this server's shapes use it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface ApiResponse {
  readonly description: string;
  readonly content?: Content;
}

export type Security = readonly Readonly<Record<string, readonly string[]>>[];

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  readonly security?: Security;
  readonly 'x-action'?: string;
}

/** The operations of one path, by method. */
export type ApiPath = Readonly<Record<string, ApiOperation>>;

/** An OpenAPI 3.1 document, as far as this server writes it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly paths: Readonly<Record<string, ApiPath>>;
  readonly [part: string]: unknown;
}

/** The parts of a route that its schema does not have. */
export interface DescribedRoute {
  readonly action: Action;
  /** name of the shape of its body */
  readonly bodyName: string | undefined;
  readonly statusOf: StatusOf | undefined;
  /** kinds of failure that do not follow from the action and the body */
  readonly failures: readonly FailureKind[];
  /** media type of the stream that a success may be instead of the record */
  readonly streams: string | undefined;
}
