import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { asIs } from '../../../api/operations/answers.ts';
import { type Operations, operationsOn } from '../../../api/operations/operations.ts';
import { withoutOuterSlashes } from '../../../base/core/text/text.ts';
import type { Addresses, App } from '../../../http/app.ts';
import type { StatusOf } from '../../../http/errors/wire.ts';
import type { MemberPath } from '../../../http/long-member.ts';
import { CONTENTS } from '../actions.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
import type { ChangeOptions, FileChange } from '../model.ts';
import { changeOptionsOf, changesOf, creationOf, deletionOf, updateOf } from '../options.ts';
import { presentCommit, presentEntry, UNSIGNED } from '../present.ts';
import type { ContentsReader } from '../read.ts';
import {
  ChangeFilesBody,
  CreateFileBody,
  DeleteFileBody,
  DeleteFileQuery,
  FileDeleteResponse,
  FileResponse,
  FilesResponse,
  UpdateFileBody,
} from '../schema.ts';
import { contentsTag, currentRequired } from './entity-tags.ts';
import { beginBodies, takeFileBodies } from './file-body.ts';
import { patchRoute } from './patch-route.ts';
import type { ContentsWriter, WrittenChange } from './write.ts';

interface Dependencies {
  readonly reading: ContentsReader;
  readonly writing: ContentsWriter;
  readonly addresses: Addresses;
}

const FileAnswer = asIs(FileResponse);
const FilesAnswer = asIs(FilesResponse);
const DeletedFileAnswer = asIs(FileDeleteResponse);

const ROOT_URL = '/repos/:owner/:repo/contents';
const FILE_URL = '/repos/:owner/:repo/contents/*';
const FAILURES = ['archived', 'precondition_failed'] as const;

export function writingRoutes(app: App, dependencies: Dependencies): void {
  const { addresses } = dependencies;
  patchRoute(app, dependencies);
  deletionRoute(operationsOn(app, { tag: 'repository', addresses }), dependencies);
  // Scopes of their own, because these routes parse their bodies in their own way.
  app.register(async (scope) => oneFileRoutes(scope as App, dependencies));
  app.register(async (scope) => manyFilesRoute(scope as App, dependencies));
}

/** Registers the reading of bodies with contents at `path`, and returns the operations that have such bodies. */
function operationsWithContents(app: App, { writing, addresses }: Dependencies, path: MemberPath) {
  const begun = beginChanges(writing, addresses);
  takeFileBodies(app, path, begun.contentsOf);
  return {
    api: operationsOn(app, { tag: 'repository', addresses }),
    begun,
    common: {
      failures: FAILURES,
      bodyBytesInMemory: CONTENTS_LIMITS.fileFieldsBytesMax,
      options: { onRequest: begun.onRequest, bodyLimit: CONTENTS_LIMITS.fileBodyBytesMax },
    },
  };
}

function oneFileRoutes(app: App, dependencies: Dependencies): void {
  const { reading, addresses } = dependencies;
  const { api, begun, common } = operationsWithContents(app, dependencies, ['content']);
  const written = async ({ place, commit }: WrittenChange, path: string, reply: FastifyReply) => {
    const location = { ...place, path };
    reply.header('etag', `"${contentsTag(location, addresses)}"`);
    return {
      content: presentEntry(await reading.readEntry(location), location, addresses),
      commit: presentCommit(commit, place, addresses),
      verification: UNSIGNED,
    };
  };

  api.post(FILE_URL, CONTENTS.write, {
    ...common,
    id: 'repoCreateFile',
    summary: 'Create a file',
    body: CreateFileBody,
    status: 201,
    answer: FileAnswer,
    async handle({ viewer, params, body, request, reply }) {
      const change = creationOf(withoutOuterSlashes(params['*']), begun.contentsOf(request).at(body.content));
      return written(await begun.make(request, viewer, change, changeOptionsOf(body)), change.path, reply);
    },
  });

  api.put(FILE_URL, CONTENTS.write, {
    ...common,
    id: 'repoUpdateFile',
    summary: 'Change or move a file, or create it if the request names no version',
    body: UpdateFileBody,
    answer: FileAnswer,
    otherwise: { 201: FileAnswer.shape },
    async handle({ viewer, params, body, request, reply }) {
      const change = updateOf(
        withoutOuterSlashes(params['*']),
        begun.contentsOf(request).at(body.content),
        body,
      );
      const made = await begun.make(request, viewer, change, changeOptionsOf(body));
      const record = await written(made, change.path, reply);
      return change.kind === 'create' ? reply.code(201).send(record) : record;
    },
  });
}

function manyFilesRoute(app: App, dependencies: Dependencies): void {
  const { reading, addresses } = dependencies;
  const { api, begun, common } = operationsWithContents(app, dependencies, ['files', null, 'content']);

  api.post(ROOT_URL, CONTENTS.write, {
    ...common,
    id: 'repoChangeFiles',
    summary: 'Create, change, move and delete several files in one commit',
    body: ChangeFilesBody,
    status: 201,
    answer: FilesAnswer,
    async handle({ viewer, body, request }) {
      const changes = changesOf(body, begun.contentsOf(request));
      const { place, commit } = await begun.make(request, viewer, changes, changeOptionsOf(body));
      const paths = changes.map(({ path }) => path);
      const entries = await reading.readFiles(place, paths);
      return {
        files: entries.map((entry) => (entry === null ? null : presentEntry(entry, place, addresses))),
        commit: presentCommit(commit, place, addresses),
        verification: UNSIGNED,
      };
    },
  });
}

/** On this wire, a deletion that cannot be done is a 400, where other changes are a 422. */
const rejectedDeletion: StatusOf = ({ kind }) =>
  kind === 'invalid' || kind === 'already_exists' ? 400 : undefined;

function deletionRoute(api: Operations, { writing, addresses }: Dependencies): void {
  const begun = beginChanges(writing, addresses);

  api.delete(FILE_URL, CONTENTS.write, {
    id: 'repoDeleteFile',
    summary: 'Delete a file',
    failures: FAILURES,
    query: DeleteFileQuery,
    body: DeleteFileBody,
    statusOf: rejectedDeletion,
    options: { onRequest: begun.onRequest },
    answer: DeletedFileAnswer,
    async handle({ viewer, params, query, body, request }) {
      const sent = { ...query, ...body };
      const change = deletionOf(withoutOuterSlashes(params['*']), sent);
      const { place, commit } = await begun.make(request, viewer, change, changeOptionsOf(sent));
      return { content: null, commit: presentCommit(commit, place, addresses), verification: UNSIGNED };
    },
  });
}

/** Authorizes each change before its body is read. The change uses what was found. */
function beginChanges(writing: ContentsWriter, addresses: Addresses) {
  const begun = beginBodies({
    find: (viewer, path) => writing.find(viewer, path),
    contentsFor: (repository) => writing.contentsFor(repository),
  });
  return {
    onRequest: begun.onRequest,
    contentsOf: (request: FastifyRequest) => begun.of(request).contents,
    /** Makes one change, or several to the root folder. */
    make(
      request: FastifyRequest,
      viewer: SignedIn,
      changed: FileChange | readonly FileChange[],
      options: ChangeOptions,
    ): Promise<WrittenChange> {
      const { repository, contents } = begun.of(request);
      const branch = options.branch ?? repository.defaultBranch;
      const change = 'kind' in changed ? changed : undefined;
      const requireCurrent = currentRequired(request, { repository, branch, addresses, change });
      const changes = 'kind' in changed ? [changed] : changed;
      return writing.change(viewer, { repository, changes, contents, options, requireCurrent });
    },
  };
}
