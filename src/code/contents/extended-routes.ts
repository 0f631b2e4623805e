import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { unlessKnown } from '../../http/conditional.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { NOT_MODIFIED, reference } from '../../http/shapes.ts';
import { CONTENTS } from './actions.ts';
import type { ContentsLocation } from './model.ts';
import { presentEntry, presentExtended } from './present.ts';
import type { ContentsReader } from './read.ts';
import { ContentsExtSchema, ContentsSchema, FilesBody } from './schema.ts';
import { contentsTag, EMPTY_TAG } from './writing/entity-tags.ts';

interface Dependencies {
  readonly reading: ContentsReader;
  readonly addresses: Addresses;
  readonly statusOf: StatusOf;
}

const ExtendedAnswer = asIs(ContentsExtSchema);
const FilesAnswer = asIs(Type.Array(Type.Union([reference(ContentsSchema), Type.Null()])));
const Ref = { ref: Type.Optional(Type.String()) };
const ExtendedQuery = { ...Ref, includes: Type.Optional(Type.String()) };
const FilesQuery = { ...Ref, body: Type.Optional(Type.String()) };

/** Registers the reads that return only what was asked for, and those of several files. */
export function extendedRoutes(app: App, dependencies: Dependencies): void {
  extendedContents(app, dependencies);
  severalFiles(app, dependencies);
}

interface ExtendedCall {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly query: { readonly ref?: string; readonly includes?: string };
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function extendedContents(app: App, { reading, addresses, statusOf }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const read = async (call: ExtendedCall, filePath: string) => {
    const included = includedIn(call.query.includes ?? '');
    // The reference lists the root with a dot, because its description needs a path.
    const path = filePath === '.' ? '' : filePath;
    const location = await reading.locate(call.viewer, call.path, path, call.query.ref);
    if (location === undefined) return unlessKnown(call, `"${EMPTY_TAG}"`, () => ({ dir_contents: [] }));
    const form = `extended ${JSON.stringify(included)}`;
    const tag = `"${contentsTag(location, addresses, form)}"`;
    return unlessKnown(call, tag, () => presentContents(location, included));
  };
  const presentContents = async (location: ContentsLocation, shown: Includes) => {
    const { content, lfs, metadata, message } = shown;
    const contents = await reading.readExtended(location, { content, lfs, commits: metadata || message });
    if (contents.kind === 'entry')
      return { file_contents: presentExtended(contents.entry, location, addresses, shown) };
    return {
      dir_contents: contents.entries.map((entry) => presentExtended(entry, location, addresses, shown)),
    };
  };
  const common = {
    query: ExtendedQuery,
    failures: ['bad_request'],
    statusOf,
    answer: ExtendedAnswer,
  } as const;

  api.get('/repos/:owner/:repo/contents-ext', CONTENTS.read, {
    ...common,
    id: 'repoGetContentsExtRoot',
    otherwise: NOT_MODIFIED,
    summary: 'List the root folder, with the details that are asked for',
    handle: (call) => read(call, ''),
  });

  api.get('/repos/:owner/:repo/contents-ext/*', CONTENTS.read, {
    ...common,
    id: 'repoGetContentsExt',
    otherwise: NOT_MODIFIED,
    summary: 'Get a file or list a folder, with the details that are asked for',
    handle: (call) => read(call, withoutOuterSlashes(call.params['*'])),
  });
}

interface Includes {
  readonly content: boolean;
  readonly lfs: boolean;
  readonly metadata: boolean;
  readonly message: boolean;
}

const INCLUDES: ReadonlyMap<string, keyof Includes> = new Map([
  ['file_content', 'content'],
  ['lfs_metadata', 'lfs'],
  ['commit_metadata', 'metadata'],
  ['commit_message', 'message'],
]);

/** @throws ForgeError `bad_request` for an unknown word */
function includedIn(text: string): Includes {
  const included = { content: false, lfs: false, metadata: false, message: false };
  for (const word of text.split(',').filter((each) => each !== '')) {
    const key = INCLUDES.get(word);
    if (key === undefined)
      throw new ForgeError({ kind: 'bad_request', what: `unknown include option ${JSON.stringify(word)}` });
    included[key] = true;
  }
  return included;
}

type Files = Static<typeof FilesBody>['files'];

function severalFiles(app: App, { reading, addresses, statusOf }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const url = '/repos/:owner/:repo/file-contents';
  const readAll = async (location: ContentsLocation, files: Files) => {
    const paths = files.slice(0, CORE_LIMITS.pageItemsDefault).map(withoutOuterSlashes);
    const entries = await reading.readFiles(location, paths);
    return entries.map((entry) => (entry === null ? null : presentEntry(entry, location, addresses)));
  };

  api.get(url, CONTENTS.read, {
    id: 'repoGetFileContents',
    otherwise: NOT_MODIFIED,
    summary: 'Get several files, whose paths are in a parameter',
    query: FilesQuery,
    failures: ['bad_request'],
    statusOf,
    answer: FilesAnswer,
    async handle({ viewer, path, query, request, reply }) {
      const files = filesIn(query.body ?? '');
      const location = await reading.locate(viewer, path, '', query.ref);
      if (location === undefined) throw notFound('ref');
      const tag = `"${contentsTag(location, addresses, `files ${JSON.stringify(files)}`)}"`;
      return unlessKnown({ request, reply }, tag, () => readAll(location, files));
    },
  });

  api.post(url, CONTENTS.readByPost, {
    id: 'repoGetFileContentsPost',
    summary: 'Get several files',
    query: Ref,
    body: FilesBody,
    statusOf,
    status: 200,
    answer: FilesAnswer,
    async handle({ viewer, path, query, body }) {
      const location = await reading.locate(viewer, path, '', query.ref, CONTENTS.readByPost);
      if (location === undefined) throw notFound('ref');
      return readAll(location, body.files);
    },
  });
}

/** @throws ForgeError `bad_request` */
function filesIn(json: string): Files {
  const { files } = parsedObject(json);
  if (Array.isArray(files) && files.every((file) => typeof file === 'string')) return files;
  throw new ForgeError({ kind: 'bad_request', what: 'invalid body parameter: send {"files": ["path"]}' });
}

function parsedObject(json: string): { readonly files?: unknown } {
  try {
    return (JSON.parse(json) as { files?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}
