import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { type Static, type TObject, type TProperties, type TSchema, type TUnknown, Type } from 'typebox';
import type { FailureKind } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { type FileForm, formOptions } from '../../http/bodies/forms.ts';
import { recordTag, unlessKnown } from '../../http/conditional.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { PagingQuery, pageOfList, setPagingHeaders } from '../../http/paging.ts';
import { NOT_MODIFIED, WITHOUT_BODY } from '../../http/shapes.ts';
import type { Action } from '../access/actions.ts';
import type { SignedIn, Viewer } from '../access/viewer.ts';
import { type Answer, listOf } from './answers.ts';

/**
 * Viewer of a request for an action. Actions that need an account have a viewer who is signed in: `guardRoutes` or, for
 * a level or rank, the lookup in the service rejects every other one.
 */
type ViewerOf<A extends Action> = A extends
  | { readonly on: 'self' | 'site' | 'team' }
  | { readonly on: 'repository'; readonly signedIn: true }
  | { readonly on: 'repository'; readonly level: 'write' | 'admin' | 'owner' }
  | { readonly on: 'organization'; readonly rank: 'member' | 'owner' }
  ? SignedIn
  : Viewer;

type ValueOf<Name extends string> = Name extends 'id' ? number : string;

/** Parameters of a URL: `:id` is a number, any other one a text. */
type ParamsIn<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: ValueOf<Key> } & ParamsIn<`/${Rest}`>
  : Url extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: ValueOf<Key> }
    : Url extends `${string}*`
      ? { readonly '*': string }
      : unknown;

type PathIn<Url extends string> = Url extends `${string}/:owner/:repo${string}`
  ? { readonly owner: string; readonly name: string }
  : undefined;

/** One request, as its operation sees it. */
export interface Call<
  Url extends string,
  A extends Action,
  Query extends TProperties,
  Body extends TSchema,
  Begun = undefined,
> {
  readonly viewer: ViewerOf<A>;
  readonly params: ParamsIn<Url>;
  /** the repository that the URL names with `:owner/:repo` */
  readonly path: PathIn<Url>;
  readonly query: Static<TObject<Query>>;
  readonly body: Static<Body>;
  /** what `begin` returned */
  readonly begun: Begun;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** One request before its body is read. */
export interface Beginning<Path> {
  readonly viewer: Viewer;
  readonly path: Path;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type NoQuery = Record<never, never>;

/** The parts of an operation that only the API document shows, or that few operations have. */
interface Described {
  /** name of the operation in the API document; that of the reference if it has the operation */
  readonly id: string;
  /** imperative, for the API document */
  readonly summary: string;
  readonly deprecated?: boolean;
  /**
   * for a GET: the answer has an ETag, and is 304 to a caller who has it. The ETag is a hash of the record, unless
   * `handle` has set one.
   */
  readonly isTagged?: true;
  /** media type of the stream that a success may be instead of the record */
  readonly streams?: string;
  /** kinds of failure that do not follow from the action and the body, for the API document */
  readonly failures?: readonly FailureKind[];
  /** statuses of failures in which the operation differs from its wire */
  readonly statusOf?: StatusOf;
  /** for routes that process a body while it arrives: the part of it that is in memory */
  readonly bodyBytesInMemory?: number;
  /** The body is a form with a file, which `handle` reads while it arrives. */
  readonly form?: FileForm;
  readonly options?: Pick<RouteShorthandOptions, 'bodyLimit' | 'errorHandler'>;
}

interface Operation<
  Url extends string,
  A extends Action,
  Query extends TProperties,
  Body extends TSchema,
  Model,
  Begun = undefined,
> extends Described {
  /** Runs before the body is read, to look up and authorize what a large body would be for. */
  readonly begin?: (beginning: Beginning<PathIn<NoInfer<Url>>>) => Promise<Begun>;
  readonly query?: Query;
  readonly body?: Body;
  /** of a success; absent: 200 with an answer, 204 without one */
  readonly status?: 200 | 201 | 202 | 205;
  readonly answer?: Answer<Model>;
  /** other responses, which `handle` sends by itself, by status */
  readonly otherwise?: Readonly<Record<number, TSchema>>;
  /** Returns what the answer presents, or the reply if it has sent one. */
  readonly handle: (
    call: Call<Url, A, Query, Body, Begun>,
  ) => Model | FastifyReply | Promise<Model | FastifyReply>;
}

/** The form of a list that is more than an array. */
interface Envelope {
  readonly shape: TSchema;
  readonly around: (items: readonly unknown[]) => unknown;
}

interface ListOperation<Url extends string, A extends Action, Query extends TProperties, Item>
  extends Described {
  /** in addition to `page` and `limit` */
  readonly query?: Query;
  /** of one item */
  readonly answer: Answer<Item>;
  readonly envelope?: Envelope;
  /** false: no `Link`, as in the reference */
  readonly hasLinks?: false;
  readonly handle: (
    call: Call<Url, A, Query, TUnknown> & { readonly paging: Paging },
  ) => Promise<Page<Item> | UnreadPage<Item>>;
}

interface WholeListOperation<Url extends string, A extends Action, Item> extends Described {
  /** of one item */
  readonly answer: Answer<Item>;
  /** other responses, which `handle` sends by itself, by status */
  readonly otherwise?: Readonly<Record<number, TSchema>>;
  /** Returns all items, or the reply if it has sent one. */
  readonly handle: (
    call: Call<Url, A, NoQuery, TUnknown>,
  ) => readonly Item[] | FastifyReply | Promise<readonly Item[] | FastifyReply>;
}

/** A page whose version is known before its items are read. */
interface UnreadPage<Item> {
  readonly total: number;
  /** ETag of the response */
  readonly tag: string;
  readonly read: () => Promise<readonly Item[]>;
}

type Add = <
  const Url extends string,
  A extends Action,
  Model,
  Query extends TProperties = NoQuery,
  Body extends TSchema = TUnknown,
  Begun = undefined,
>(
  url: Url,
  action: A,
  operation: Operation<Url, A, Query, Body, Model, Begun>,
) => void;

type AddList = <const Url extends string, A extends Action, Item, Query extends TProperties = NoQuery>(
  url: Url,
  action: A,
  operation: ListOperation<Url, A, Query, Item>,
) => void;

type AddWholeList = <const Url extends string, A extends Action, Item>(
  url: Url,
  action: A,
  operation: WholeListOperation<Url, A, Item>,
) => void;

/** Registers operations of the forge API. Each states its URL, its action and what is specific to it. */
export interface Operations {
  readonly get: Add;
  readonly post: Add;
  readonly put: Add;
  readonly patch: Add;
  readonly delete: Add;
  /** A GET that returns one page of a list, with the headers of paging. */
  readonly list: AddList;
  /** A GET that returns a short list: all of it, or one page if the caller asks for one. */
  readonly wholeList: AddWholeList;
}

/** @param options.tag group of the operations in the API document */
export function operationsOn(app: App, options: { tag: string; addresses: Addresses }): Operations {
  const adding =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'): Add =>
    (url, action, operation) =>
      addOperation(app, { ...options, method, url, action }, operation);
  const get = adding('GET');
  return {
    get,
    post: adding('POST'),
    put: adding('PUT'),
    patch: adding('PATCH'),
    delete: adding('DELETE'),
    list: (url, action, operation) => get(url, action, pagedOperation(operation, options.addresses)),
    wholeList: (url, action, operation) => get(url, action, wholeOperation(operation, options.addresses)),
  };
}

interface Registration<Url extends string, A extends Action> {
  readonly method: string;
  readonly url: Url;
  readonly action: A;
  readonly tag: string;
  readonly addresses: Addresses;
}

function addOperation<
  Url extends string,
  A extends Action,
  Query extends TProperties,
  Body extends TSchema,
  Model,
  Begun,
>(
  app: App,
  { method, url, action, tag, addresses }: Registration<Url, A>,
  operation: Operation<Url, A, Query, Body, Model, Begun>,
): void {
  const { id, summary, deprecated, query, body, answer, begin } = operation;
  const status = operation.status ?? (answer === undefined ? 204 : 200);
  const isTagged = operation.isTagged === true;
  const success = { [status]: answer?.shape ?? WITHOUT_BODY };
  app.route({
    ...(operation.form === undefined ? {} : formOptions(operation.form)),
    ...operation.options,
    ...(begin === undefined ? {} : { onRequest: beginningWith(begin) }),
    method,
    url,
    config: { action, ...described(operation) },
    schema: {
      tags: [tag],
      operationId: id,
      summary,
      ...(deprecated === true ? { deprecated } : {}),
      ...paramsSchema(url),
      ...(query === undefined ? {} : { querystring: Type.Object(query) }),
      ...(body === undefined ? {} : { body }),
      response: { ...success, ...(isTagged ? NOT_MODIFIED : {}), ...operation.otherwise },
    },
    handler: async (request, reply) => {
      const model = await operation.handle(callOf<Url, A, Query, Body, Begun>(request, reply));
      if (isSent(model, reply)) return reply;
      reply.code(status);
      if (answer === undefined) return reply.send();
      const record = answer.present(model, request.viewer, addresses);
      return isTagged && !reply.hasHeader('etag') ? sendTagged(request, reply, record) : record;
    },
  });
}

function beginningWith<Url extends string>(begin: (beginning: Beginning<PathIn<Url>>) => Promise<unknown>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.begun = await begin(callOf<Url, Action, NoQuery, TUnknown, undefined>(request, reply));
  };
}

/** Tags a record. The headers of a list, which the record has no part of, follow from its address and its total. */
function sendTagged(request: FastifyRequest, reply: FastifyReply, record: unknown) {
  const total = reply.getHeader('x-total-count');
  const tag = typeof total === 'number' ? recordTag(record, total) : recordTag(record);
  return unlessKnown({ request, reply }, tag, () => record);
}

/** The parts of an operation that other code reads from the configuration of its route. */
function described({
  statusOf,
  failures,
  streams,
  form,
  bodyBytesInMemory = form && HTTP_LIMITS.objectBodyBytesInMemory,
}: Described): Pick<
  FastifyContextConfig,
  'statusOf' | 'failures' | 'streams' | 'bodyBytesInMemory' | 'acceptsForm'
> {
  return {
    ...(statusOf === undefined ? {} : { statusOf }),
    ...(failures === undefined ? {} : { failures }),
    ...(streams === undefined ? {} : { streams }),
    ...(form === undefined ? {} : { acceptsForm: form }),
    ...(bodyBytesInMemory === undefined ? {} : { bodyBytesInMemory }),
  };
}

/** A reply is thenable, so an async handler that returns it seems to return undefined. */
function isSent<Model>(model: Model | FastifyReply, reply: FastifyReply): model is FastifyReply {
  return model === reply || reply.sent;
}

/** by URL, because a process may start many servers */
const paramsSchemas = new Map<string, { readonly params?: TSchema }>();

function paramsSchema(url: string): { readonly params?: TSchema } {
  const known = paramsSchemas.get(url) ?? newParamsSchema(url);
  paramsSchemas.set(url, known);
  return known;
}

function newParamsSchema(url: string): { readonly params?: TSchema } {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  if (url.endsWith('*')) names.push('*');
  if (names.length === 0) return {};
  const shapes = names.map((name) => [name, name === 'id' ? Type.Integer() : Type.String()]);
  return { params: Type.Object(Object.fromEntries(shapes)) };
}

/** The only place that trusts the schemas and the action of a route to have been checked before its handler runs. */
function callOf<Url extends string, A extends Action, Query extends TProperties, Body extends TSchema, Begun>(
  request: FastifyRequest,
  reply: FastifyReply,
): Call<Url, A, Query, Body, Begun> {
  const { viewer, params, query, body, begun } = request;
  const { owner, repo: name } = params as { owner?: string; repo?: string };
  const path = owner === undefined || name === undefined ? undefined : { owner, name };
  return { viewer, params, path, query, body, begun, request, reply } as Call<Url, A, Query, Body, Begun>;
}

function pagedOperation<Url extends string, A extends Action, Query extends TProperties, Item>(
  operation: ListOperation<Url, A, Query, Item>,
  addresses: Addresses,
): Operation<Url, A, Query & typeof PagingQuery, TUnknown, readonly Item[]> {
  const { query, answer, envelope, hasLinks = true, handle, ...described } = operation;
  return {
    ...described,
    query: { ...PagingQuery, ...(query as Query) },
    answer: inEnvelope(listOf(answer), envelope),
    async handle(call) {
      const paging = pagingOf(call.query as { page?: number; limit?: number });
      const page = await handle({ ...(call as Call<Url, A, Query, TUnknown>), paging });
      setPagingHeaders(call.request, call.reply, addresses, { paging, total: page.total, hasLinks });
      return 'read' in page ? unlessKnown(call, page.tag, page.read) : page.items;
    },
  };
}

function wholeOperation<Url extends string, A extends Action, Item>(
  operation: WholeListOperation<Url, A, Item>,
  addresses: Addresses,
): Operation<Url, A, typeof PagingQuery, TUnknown, readonly Item[]> {
  return {
    ...operation,
    query: PagingQuery,
    answer: listOf(operation.answer),
    async handle(call) {
      const all = await operation.handle(call as Call<Url, A, NoQuery, TUnknown>);
      if (isSent(all, call.reply)) return all;
      return pageOfList(call, addresses, all);
    },
  };
}

function inEnvelope<Item>(
  list: Answer<readonly Item[]>,
  envelope: Envelope | undefined,
): Answer<readonly Item[]> {
  if (envelope === undefined) return list;
  return {
    shape: envelope.shape,
    present: (items, viewer, addresses) =>
      envelope.around(list.present(items, viewer, addresses) as readonly unknown[]),
  };
}
