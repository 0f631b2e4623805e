import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { LIMITS } from '../core/limits.ts';
import type { Addresses, App } from '../http/app.ts';
import { isNotModified } from '../http/conditional.ts';
import type { StatusOf } from '../http/errors/wire.ts';
import { serializerOf } from '../http/serializers.ts';
import { reference } from '../http/shapes.ts';
import type { HeldRepository } from '../repositories/model.ts';
import { CONTENTS } from './actions.ts';
import type { ChangeOptions, FileChange } from './model.ts';
import { changeOptionsOf, creationOf, deletionOf, updateOf } from './options.ts';
import { NOT_SIGNED, presentCommit, presentEntry } from './present.ts';
import { sendRaw } from './raw.ts';
import type { ContentsLocation, ContentsReader } from './read.ts';
import {
  ContentsParams,
  ContentsSchema,
  CreateFileBody,
  DeleteFileBody,
  DeleteFileQuery,
  FileDeleteResponse,
  FileResponse,
  RefQuery,
  RootParams,
  UpdateFileBody,
} from './schema.ts';
import type { ContentsWriter } from './write.ts';

const tags = ['repository'];

interface Dependencies {
  readonly reading: ContentsReader;
  readonly writing: ContentsWriter;
  readonly addresses: Addresses;
}

interface PathParams {
  readonly owner: string;
  readonly repo: string;
  readonly '*'?: string;
}

export function contentsRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  writingRoutes(app, dependencies);
}

const ENTRY = reference(ContentsSchema);
const LIST = Type.Array(ENTRY);
const SHAPES = { entry: ENTRY, list: LIST };

function readingRoutes(app: App, { reading, addresses }: Dependencies): void {
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    params: PathParams,
    ref: string | undefined,
  ) => {
    const path = trimSlashes(params['*'] ?? '');
    const location = await reading.locate(
      request.viewer,
      { owner: params.owner, name: params.repo },
      path,
      ref,
    );
    if (location === undefined) return [];
    reply.header('etag', `"${contentsTag(location, addresses)}"`);
    if (isNotModified(request, reply)) return reply.code(304).send();
    const contents = await reading.read(location);
    // A serializer for both shapes would spend more time on finding the right one than on writing.
    reply.type('application/json').serializer(serializerOf(SHAPES[contents.kind]));
    if (contents.kind === 'entry') return presentEntry(contents.entry, location, addresses);
    return contents.entries.map((entry) => presentEntry(entry, location, addresses));
  };
  const answers = { 200: Type.Union([ENTRY, LIST]) };

  app.get(
    '/repos/:owner/:repo/contents',
    {
      config: { action: CONTENTS.read, statusOf: unreadableCode },
      schema: {
        tags,
        summary: 'List the root folder',
        params: RootParams,
        querystring: RefQuery,
        response: answers,
      },
    },
    (request, reply) => answer(request, reply, request.params, request.query.ref),
  );
  app.get(
    '/repos/:owner/:repo/contents/*',
    {
      config: { action: CONTENTS.read, statusOf: unreadableCode },
      schema: {
        tags,
        summary: 'Get a file or list a folder',
        params: ContentsParams,
        querystring: RefQuery,
        response: answers,
      },
    },
    (request, reply) => answer(request, reply, request.params, request.query.ref),
  );
  app.route({
    // HEAD is stated here: Fastify's own would open the file and throw its bytes away.
    method: ['GET', 'HEAD'],
    url: '/repos/:owner/:repo/raw/*',
    config: { action: CONTENTS.readRaw },
    schema: { tags, summary: 'Get the bytes of a file', params: ContentsParams, querystring: RefQuery },
    handler: async (request, reply) => {
      const { owner, repo, '*': path } = request.params;
      return sendRaw(request, reply, {
        reading,
        path: { owner, name: repo },
        filePath: trimSlashes(path),
        ref: request.query.ref,
      });
    },
  });
}

function writingRoutes(app: App, { reading, writing, addresses }: Dependencies): void {
  const bodyLimit = LIMITS.fileBodyBytesMax;
  const config = { action: CONTENTS.write };
  const found = new WeakMap<FastifyRequest, HeldRepository>();
  const onRequest = async (request: FastifyRequest) => {
    found.set(request, await writing.find(request.viewer, repositoryOf(request.params as PathParams)));
  };
  const write = (request: FastifyRequest, change: FileChange, options: ChangeOptions) => {
    const held = found.get(request);
    if (held === undefined) throw new Error(`no repository was looked up for ${request.url}`);
    return writing.change(viewerOf(request), held, change, options);
  };

  app.post(
    '/repos/:owner/:repo/contents/*',
    {
      config,
      onRequest,
      bodyLimit,
      schema: {
        tags,
        summary: 'Create a file',
        params: ContentsParams,
        body: CreateFileBody,
        response: { 201: reference(FileResponse) },
      },
    },
    async (request, reply) => {
      const change = creationOf(filePathOf(request.params), request.body);
      return reply.code(201).send(await changed(request, change, request.body));
    },
  );
  app.put(
    '/repos/:owner/:repo/contents/*',
    {
      config,
      onRequest,
      bodyLimit,
      schema: {
        tags,
        summary: 'Change or move a file',
        params: ContentsParams,
        body: UpdateFileBody,
        response: { 200: reference(FileResponse) },
      },
    },
    (request) => changed(request, updateOf(filePathOf(request.params), request.body), request.body),
  );
  app.delete(
    '/repos/:owner/:repo/contents/*',
    {
      config: { action: CONTENTS.write, statusOf: rejectedDeletion },
      onRequest,
      schema: {
        tags,
        summary: 'Delete a file',
        params: ContentsParams,
        querystring: DeleteFileQuery,
        body: DeleteFileBody,
        response: { 200: reference(FileDeleteResponse) },
      },
    },
    async (request) => {
      const options = { ...request.query, ...request.body };
      const change = deletionOf(filePathOf(request.params), options);
      const { location, commit } = await write(request, change, changeOptionsOf(options));
      return { content: null, commit: presentCommit(commit, location, addresses), verification: NOT_SIGNED };
    },
  );

  async function changed(
    request: FastifyRequest,
    change: FileChange,
    body: Parameters<typeof changeOptionsOf>[0],
  ) {
    const { commit, location } = await write(request, change, changeOptionsOf(body));
    return {
      content: presentEntry(await reading.readEntry(location), location, addresses),
      commit: presentCommit(commit, location, addresses),
      verification: NOT_SIGNED,
    };
  }
}

/** On this wire, listing contents without access to the code is a 500. */
const unreadableCode: StatusOf = (failure) =>
  failure.kind === 'forbidden' && failure.reason === 'code' ? 500 : undefined;

/** On this wire, a deletion that cannot be done is a 400, where other changes are a 422. */
const rejectedDeletion: StatusOf = ({ kind }) =>
  kind === 'invalid' || kind === 'already_exists' ? 400 : undefined;

/** The action of these routes needs a level that nobody has who is not signed in; the service checks it first. */
function viewerOf(request: FastifyRequest): SignedIn {
  return request.viewer as SignedIn;
}

function repositoryOf(params: PathParams): { owner: string; name: string } {
  return { owner: params.owner, name: params.repo };
}

function filePathOf(params: PathParams): string {
  return trimSlashes(params['*'] ?? '');
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** Of all that the answer shows, so that it is known without reading any object. */
function contentsTag(location: ContentsLocation, addresses: Addresses): string {
  const { repository, commit, path, ref } = location;
  const shown = [
    commit,
    path,
    ref.asked,
    ref.kind,
    repository.owner.name,
    repository.name,
    addresses.baseUrl,
  ];
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 40);
}
