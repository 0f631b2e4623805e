import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { asIs } from '../../../api/operations/answers.ts';
import { type Beginning, type Operations, operationsOn } from '../../../api/operations/operations.ts';
import { withoutOuterSlashes } from '../../../base/core/text/text.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { acceptLongTexts, receiveLongTexts } from '../../../http/bodies/long-texts.ts';
import type { StatusOf } from '../../../http/errors/wire.ts';
import { presentVerification } from '../../verification/present.ts';
import { CONTENTS } from '../actions.ts';
import type { FileContents } from '../file-contents.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
import type { ChangeOptions, FileChange } from '../model.ts';
import { changeOptionsOf, changesOf, creationOf, deletionOf, updateOf } from '../options.ts';
import { presentCommit, presentEntry } from '../present.ts';
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
import { patchRoute } from './patch-route.ts';
import type { ChangeTarget } from './target.ts';
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

/** A repository that the caller may change, and the contents of files that arrive for it. */
interface BegunChange extends ChangeTarget {
  readonly contents: FileContents;
}

/** Step 1 of a change: authorizes it before its body is read. The contents of files become drafts while they arrive. */
async function beginChange(
  writing: ContentsWriter,
  { viewer, path, request, reply }: Beginning<RepositoryPath>,
): Promise<BegunChange> {
  const target = await writing.find(viewer, path);
  const contents = writing.contentsFor(target.repository);
  receiveLongTexts(request, reply, contents);
  return { ...target, contents };
}

interface ChangeCall {
  readonly viewer: SignedIn;
  readonly begun: BegunChange;
  readonly request: FastifyRequest;
}

/**
 * Steps 2 and 3: plans the changes and writes them. Several changes are one change of the root folder for `If-Match`.
 */
function makeChange(
  { writing, addresses }: Dependencies,
  { viewer, begun, request }: ChangeCall,
  { changed, options }: { changed: FileChange | readonly FileChange[]; options: ChangeOptions },
): Promise<WrittenChange> {
  const { repository } = begun;
  const branch = options.branch ?? repository.defaultBranch;
  const [changes, change] = 'kind' in changed ? [[changed], changed] : [changed, undefined];
  const requireCurrent = currentRequired(request, { repository, branch, addresses, change });
  return writing.change(viewer, { ...begun, changes, options, requireCurrent });
}

function commonOf(writing: ContentsWriter) {
  return {
    failures: FAILURES,
    begin: (beginning: Beginning<RepositoryPath>) => beginChange(writing, beginning),
    bodyBytesInMemory: CONTENTS_LIMITS.fileFieldsBytesMax,
    options: { bodyLimit: CONTENTS_LIMITS.fileBodyBytesMax },
  };
}

function oneFileRoutes(app: App, dependencies: Dependencies): void {
  const { reading, writing, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  acceptLongTexts(app, ['content']);

  const written = async (
    { place, commit, verification }: WrittenChange,
    path: string,
    reply: FastifyReply,
  ) => {
    const location = { ...place, path };
    reply.header('etag', `"${contentsTag(location, addresses)}"`);
    return {
      content: presentEntry(await reading.readEntry(location), location, addresses),
      commit: presentCommit(commit, place, addresses),
      verification: presentVerification(verification),
    };
  };

  api.post(FILE_URL, CONTENTS.write, {
    ...commonOf(writing),
    id: 'repoCreateFile',
    summary: 'Create a file',
    body: CreateFileBody,
    status: 201,
    answer: FileAnswer,
    async handle({ params, body, ...call }) {
      const changed = creationOf(withoutOuterSlashes(params['*']), call.begun.contents.at(body.content));
      const made = await makeChange(dependencies, call, { changed, options: changeOptionsOf(body) });
      return written(made, changed.path, call.reply);
    },
  });

  api.put(FILE_URL, CONTENTS.write, {
    ...commonOf(writing),
    id: 'repoUpdateFile',
    summary: 'Change or move a file, or create it if the request names no version',
    body: UpdateFileBody,
    answer: FileAnswer,
    otherwise: { 201: FileAnswer.shape },
    async handle({ params, body, ...call }) {
      const content = call.begun.contents.at(body.content);
      const changed = updateOf(withoutOuterSlashes(params['*']), content, body);
      const made = await makeChange(dependencies, call, { changed, options: changeOptionsOf(body) });
      const record = await written(made, changed.path, call.reply);
      return changed.kind === 'create' ? call.reply.code(201).send(record) : record;
    },
  });
}

function manyFilesRoute(app: App, dependencies: Dependencies): void {
  const { reading, writing, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  acceptLongTexts(app, ['files', null, 'content']);

  api.post(ROOT_URL, CONTENTS.write, {
    ...commonOf(writing),
    id: 'repoChangeFiles',
    summary: 'Create, change, move and delete several files in one commit',
    body: ChangeFilesBody,
    status: 201,
    answer: FilesAnswer,
    async handle({ body, ...call }) {
      const changed = changesOf(body, call.begun.contents);
      const options = changeOptionsOf(body);
      const { place, commit, verification } = await makeChange(dependencies, call, { changed, options });
      const paths = changed.map(({ path }) => path);
      const entries = await reading.readFiles(place, paths);
      return {
        files: entries.map((entry) => (entry === null ? null : presentEntry(entry, place, addresses))),
        commit: presentCommit(commit, place, addresses),
        verification: presentVerification(verification),
      };
    },
  });
}

/** On this wire, a deletion that cannot be done is a 400, where other changes are a 422. */
const rejectedDeletion: StatusOf = ({ kind }) =>
  kind === 'invalid' || kind === 'already_exists' ? 400 : undefined;

function deletionRoute(api: Operations, dependencies: Dependencies): void {
  const { writing, addresses } = dependencies;

  api.delete(FILE_URL, CONTENTS.write, {
    id: 'repoDeleteFile',
    summary: 'Delete a file',
    failures: FAILURES,
    query: DeleteFileQuery,
    body: DeleteFileBody,
    statusOf: rejectedDeletion,
    answer: DeletedFileAnswer,
    begin: (beginning) => beginChange(writing, beginning),
    async handle({ params, query, body, ...call }) {
      const sent = { ...query, ...body };
      const changed = deletionOf(withoutOuterSlashes(params['*']), sent);
      const options = changeOptionsOf(sent);
      const { place, commit, verification } = await makeChange(dependencies, call, { changed, options });
      return {
        content: null,
        commit: presentCommit(commit, place, addresses),
        verification: presentVerification(verification),
      };
    },
  });
}
