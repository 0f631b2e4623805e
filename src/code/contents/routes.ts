import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { asIs } from '../../api/operations/answers.ts';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { PageQuery } from '../../base/core/paging.ts';
import { withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { unlessKnown } from '../../http/conditional.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { PagingQuery, pageOfList } from '../../http/paging.ts';
import { serializerOf } from '../../http/serializers.ts';
import { NOT_MODIFIED, reference } from '../../http/shapes.ts';
import { CONTENTS } from './actions.ts';
import { extendedRoutes } from './extended-routes.ts';
import type { ContentsLocation } from './model.ts';
import { presentEntries, presentEntry } from './present.ts';
import { rawRoutes } from './raw/raw-routes.ts';
import type { ContentsReader } from './read.ts';
import { ContentsSchema, UnescapedContentsSchema } from './schema.ts';
import { contentsTag, EMPTY_TAG } from './writing/entity-tags.ts';
import type { ContentsWriter } from './writing/write.ts';
import { writingRoutes } from './writing/write-routes.ts';

interface Dependencies {
  readonly reading: ContentsReader;
  readonly writing: ContentsWriter;
  readonly files: LargeFiles;
  readonly addresses: Addresses;
}

const ENTRY = reference(ContentsSchema);
const LIST = Type.Array(ENTRY);
const SHAPES = { entry: UnescapedContentsSchema, list: LIST };
const ContentsAnswer = asIs(Type.Union([ENTRY, LIST]));
const RootAnswer = asIs(Type.Unsafe<unknown>(LIST));
const QUERY = { ref: Type.Optional(Type.String()), ...PagingQuery };

export function contentsRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses: dependencies.addresses });
  readingRoutes(api, dependencies);
  extendedRoutes(app, { ...dependencies, statusOf: unreadableCode });
  rawRoutes(app, dependencies);
  writingRoutes(app, dependencies);
}

/** On this wire, reading contents without access to the code is a 500. */
const unreadableCode: StatusOf = (failure) =>
  failure.kind === 'forbidden' && failure.reason === 'code' ? 500 : undefined;

function readingRoutes(api: Operations, { reading, addresses }: Dependencies): void {
  const read = async (call: ReadCall) => {
    const { viewer, path } = call;
    const location = await reading.locate(viewer, path, filePathOf(call.params), call.query.ref);
    if (location === undefined)
      return unlessKnown(call, `"${EMPTY_TAG}"`, () => [...pageOfList(call, addresses, [])]);
    return unlessKnown(call, `"${contentsTag(location, addresses)}"`, () => show(call, location));
  };
  const show = async (call: ReadCall, location: ContentsLocation) => {
    const contents = await reading.read(location);
    // A serializer for both shapes would spend more time on finding the right one than on writing.
    call.reply.type('application/json').serializer(serializerOf(SHAPES[contents.kind]));
    if (contents.kind === 'entry') return presentEntry(contents.entry, location, addresses);
    return presentEntries(pageOfList(call, addresses, contents.entries), location, addresses);
  };

  api.get('/repos/:owner/:repo/contents', CONTENTS.read, {
    id: 'repoGetContentsList',
    otherwise: NOT_MODIFIED,
    summary: 'List the root folder',
    query: QUERY,
    statusOf: unreadableCode,
    answer: RootAnswer,
    handle: read,
  });

  api.get('/repos/:owner/:repo/contents/*', CONTENTS.read, {
    id: 'repoGetContents',
    otherwise: NOT_MODIFIED,
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
  readonly query: { readonly ref?: string } & PageQuery;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The root folder has its own URL, without `*`. */
function filePathOf(params: object): string {
  return '*' in params ? withoutOuterSlashes(String(params['*'])) : '';
}
