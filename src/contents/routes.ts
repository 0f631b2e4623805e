import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { asIs } from '../access/answers.ts';
import { type Operations, operationsOn } from '../access/operations.ts';
import type { Viewer } from '../access/viewer.ts';
import { notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Addresses, App } from '../http/app.ts';
import { isNotModified } from '../http/conditional.ts';
import type { StatusOf } from '../http/errors/wire.ts';
import { serializerOf } from '../http/serializers.ts';
import { reference } from '../http/shapes.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { CONTENTS } from './actions.ts';
import { takeFileBodies } from './file-body.ts';
import type { FileContent } from './file-content.ts';
import { changeOptionsOf, creationOf, deletionOf, updateOf } from './options.ts';
import { presentCommit, presentEntry, presentVerification } from './present.ts';
import { sendRaw } from './raw.ts';
import type { ContentsLocation, ContentsReader } from './read.ts';
import {
  ContentsSchema,
  CreateFileBody,
  DeleteFileBody,
  DeleteFileQuery,
  FileDeleteResponse,
  FileResponse,
  UpdateFileBody,
} from './schema.ts';
import type { ContentsWriter, WrittenFile } from './write.ts';

interface Dependencies {
  readonly reading: ContentsReader;
  readonly writing: ContentsWriter;
  readonly addresses: Addresses;
}

const ENTRY = reference(ContentsSchema);
const LIST = Type.Array(ENTRY);
const SHAPES = { entry: ENTRY, list: LIST };
const ContentsAnswer = asIs(Type.Union([ENTRY, LIST]));
const RootAnswer = asIs(Type.Unsafe<unknown>(LIST));
const FileAnswer = asIs(FileResponse);
const DeletedFileAnswer = asIs(FileDeleteResponse);
const QUERY = { ref: Type.Optional(Type.String()) };

const ROOT_URL = '/repos/:owner/:repo/contents';
const FILE_URL = '/repos/:owner/:repo/contents/*';

export function contentsRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses: dependencies.addresses });
  readingRoutes(api, dependencies);
  rawRoute(app, dependencies);
  deletionRoute(api, dependencies);
  // A scope of its own, because these routes parse their bodies in their own way.
  app.register(async (scope) => writingRoutes(scope as App, dependencies));
}

/** On this wire, reading contents without access to the code is a 500. */
const unreadableCode: StatusOf = (failure) =>
  failure.kind === 'forbidden' && failure.reason === 'code' ? 500 : undefined;

function readingRoutes(api: Operations, { reading, addresses }: Dependencies): void {
  const read = async (call: ReadCall) => {
    const { viewer, path, reply } = call;
    const location = await reading.locate(viewer, path, filePathOf(call.params), call.query.ref);
    if (location === undefined) return [];
    reply.header('etag', `"${contentsTag(location, addresses)}"`);
    if (isNotModified(call.request, reply)) return reply.code(304).send();
    const contents = await reading.read(location);
    // A serializer for both shapes would spend more time on finding the right one than on writing.
    reply.type('application/json').serializer(serializerOf(SHAPES[contents.kind]));
    if (contents.kind === 'entry') return presentEntry(contents.entry, location, addresses);
    return contents.entries.map((entry) => presentEntry(entry, location, addresses));
  };

  api.get(ROOT_URL, CONTENTS.read, {
    id: 'repoGetContentsList',
    summary: 'List the root folder',
    query: QUERY,
    statusOf: unreadableCode,
    answer: RootAnswer,
    handle: read,
  });

  api.get(FILE_URL, CONTENTS.read, {
    id: 'repoGetContents',
    summary: 'Get a file or list a folder',
    query: QUERY,
    statusOf: unreadableCode,
    answer: ContentsAnswer,
    handle: read,
  });
}

interface ReadCall {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly params: object;
  readonly query: { readonly ref?: string };
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function rawRoute(app: App, { reading }: Dependencies): void {
  app.route({
    // HEAD is stated here: Fastify's own would open the file and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/repos/:owner/:repo/raw/*',
    config: { action: CONTENTS.readRaw },
    schema: {
      tags: ['repository'],
      operationId: 'repoGetRawFile',
      summary: 'Get the bytes of a file',
      params: Type.Object({ owner: Type.String(), repo: Type.String(), '*': Type.String() }),
      querystring: Type.Object(QUERY),
      produces: ['application/octet-stream'],
      response: { 200: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
    },
    handler: async (request, reply) => {
      const { owner, repo: name } = request.params;
      const { ref } = request.query;
      const filePath = filePathOf(request.params);
      const path = { owner, name };
      const location = await reading.locate(request.viewer, path, filePath, ref, CONTENTS.readRaw);
      if (location === undefined) throw notFound('file');
      return sendRaw(request, reply, { reading, location });
    },
  });
}

function writingRoutes(app: App, { reading, writing, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const begun = beginChanges(writing);
  takeFileBodies(app, begun.contentOf);
  const options = { onRequest: begun.onRequest, bodyLimit: LIMITS.fileBodyBytesMax };
  const bodyBytesInMemory = LIMITS.fileFieldsBytesMax;
  const written = async ({ location, commit }: WrittenFile) => ({
    content: presentEntry(await reading.readEntry(location), location, addresses),
    commit: presentCommit(commit, location, addresses),
    verification: presentVerification(commit),
  });

  api.post(FILE_URL, CONTENTS.write, {
    id: 'repoCreateFile',
    summary: 'Create a file',
    failures: ['archived'],
    body: CreateFileBody,
    bodyBytesInMemory,
    options,
    status: 201,
    answer: FileAnswer,
    async handle({ viewer, params, body, request }) {
      const change = creationOf(filePathOf(params), begun.contentOf(request));
      return written(
        await writing.change(viewer, begun.repositoryOf(request), change, changeOptionsOf(body)),
      );
    },
  });

  api.put(FILE_URL, CONTENTS.write, {
    id: 'repoUpdateFile',
    summary: 'Change or move a file',
    failures: ['archived'],
    body: UpdateFileBody,
    bodyBytesInMemory,
    options,
    answer: FileAnswer,
    async handle({ viewer, params, body, request }) {
      const change = updateOf(filePathOf(params), begun.contentOf(request), body);
      return written(
        await writing.change(viewer, begun.repositoryOf(request), change, changeOptionsOf(body)),
      );
    },
  });
}

/** On this wire, a deletion that cannot be done is a 400, where other changes are a 422. */
const rejectedDeletion: StatusOf = ({ kind }) =>
  kind === 'invalid' || kind === 'already_exists' ? 400 : undefined;

function deletionRoute(api: Operations, { writing, addresses }: Dependencies): void {
  const begun = beginChanges(writing);

  api.delete(FILE_URL, CONTENTS.write, {
    id: 'repoDeleteFile',
    summary: 'Delete a file',
    failures: ['archived'],
    query: DeleteFileQuery,
    body: DeleteFileBody,
    statusOf: rejectedDeletion,
    options: { onRequest: begun.onRequest },
    answer: DeletedFileAnswer,
    async handle({ viewer, params, query, body, request }) {
      const sent = { ...query, ...body };
      const change = deletionOf(filePathOf(params), sent);
      const repository = begun.repositoryOf(request);
      const { location, commit } = await writing.change(viewer, repository, change, changeOptionsOf(sent));
      return {
        content: null,
        commit: presentCommit(commit, location, addresses),
        verification: presentVerification(commit),
      };
    },
  });
}

interface BegunChange {
  readonly repository: Repository;
  readonly content: FileContent;
}

/** Authorizes each change before its body is read, because bodies can be large. The change uses what was found. */
function beginChanges(writing: ContentsWriter) {
  const changes = new WeakMap<FastifyRequest, BegunChange>();
  const get = (request: FastifyRequest): BegunChange => {
    const change = changes.get(request);
    if (change === undefined) throw new Error(`no repository was looked up for ${request.url}`);
    return change;
  };
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { owner, repo: name } = request.params as { owner: string; repo: string };
      const repository = await writing.find(request.viewer, { owner, name });
      const content = writing.contentFor(repository);
      changes.set(request, { repository, content });
      reply.raw.once('close', () => {
        content
          .discard()
          .catch((error: unknown) => request.log.error({ err: error }, 'a draft was not deleted'));
      });
    },
    repositoryOf: (request: FastifyRequest) => get(request).repository,
    contentOf: (request: FastifyRequest) => get(request).content,
  };
}

/** The root folder has its own URL, without `*`. */
function filePathOf(params: object): string {
  return '*' in params ? trimSlashes(String(params['*'])) : '';
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** A hash of everything that the response shows. No object is read for it. */
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
