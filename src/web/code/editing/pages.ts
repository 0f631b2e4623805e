import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure, notFound } from '../../../base/core/failure.ts';
import { CONTENTS } from '../../../code/contents/actions.ts';
import type { FileChange } from '../../../code/contents/model.ts';
import type { EditedPlace } from '../../../code/contents/writing/editing.ts';
import type { App } from '../../../http/app.ts';
import { acceptForms, type FileForm, formOptions } from '../../../http/bodies/forms.ts';
import { readUploadForm } from '../../../http/bodies/upload-forms.ts';
import { HTTP_LIMITS } from '../../../http/limits.ts';
import { fieldOf } from '../../../http/pages/forms.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { InRepository, repositoryOf } from '../route-parts.ts';
import {
  commitChange,
  commitFieldsOf,
  type EditTools,
  failedChange,
  sendOn,
  typedPath,
  viewOf,
} from './answers.ts';
import { receiveEdit, sendEditor, sendNewFile } from './editor.ts';
import { deletionPage, uploadPage } from './form-pages.ts';

const schema = { params: Type.Object({ ...InRepository, '*': Type.String() }) };
const FORM_LIMIT = { bodyLimit: WEB_LIMITS.editFormBytesMax };

/** Registers the pages that change files in a browser. */
export function editingPages(app: App, tools: EditTools): void {
  editorRoutes(app, tools);
  deletionRoutes(app, tools);
  // A scope of its own, because it parses forms with files.
  app.register(async (scope) => uploadRoutes(scope as App, tools));
}

function locate(request: FastifyRequest, { editing }: EditTools): Promise<EditedPlace> {
  const { '*': refAndPath } = request.params as { '*': string };
  return editing.locate(request.viewer, repositoryOf(request.params), refAndPath);
}

function editorRoutes(app: App, tools: EditTools): void {
  const isForm = { action: CONTENTS.write, isForm: true } as const;
  app.get('/:owner/:repo/_edit/*', { config: { action: CONTENTS.write }, schema }, async (request, reply) =>
    sendEditor({ request, reply }, await locate(request, tools), tools),
  );
  app.post('/:owner/:repo/_edit/*', { config: isForm, schema, ...FORM_LIMIT }, (request, reply) =>
    receiveEdit({ request, reply }, tools),
  );
  app.get('/:owner/:repo/_new/*', { config: { action: CONTENTS.write }, schema }, async (request, reply) =>
    sendNewFile({ request, reply }, await locate(request, tools), tools),
  );
  app.post('/:owner/:repo/_new/*', { config: isForm, schema, ...FORM_LIMIT }, (request, reply) =>
    receiveEdit({ request, reply }, tools),
  );
}

function deletionRoutes(app: App, tools: EditTools): void {
  const { editing, writing } = tools;
  app.get(
    '/:owner/:repo/_delete/*',
    { config: { action: CONTENTS.write }, schema },
    async (request, reply) => {
      const place = await locate(request, tools);
      const file = await editing.read(place, place.path);
      if (file.kind !== 'text' && file.kind !== 'other') throw notFound('file');
      const view = await viewOf({ request, reply }, place, tools);
      return sendPage(reply, deletionPage(view, { path: place.path, seen: file.oid }));
    },
  );

  app.post(
    '/:owner/:repo/_delete/*',
    { config: { action: CONTENTS.write, isForm: true }, schema },
    async (request, reply) => {
      const typed = commitFieldsOf((name) => fieldOf(request, name));
      const [path, seen] = [fieldOf(request, 'path'), fieldOf(request, 'seen')];
      const names = { branch: fieldOf(request, 'branch'), file: path };
      const place = await editing.at(request.viewer, repositoryOf(request.params), names);
      const contents = writing.contentsFor(place.permitted.repository);
      try {
        const changes: FileChange[] = [{ kind: 'delete', path, oid: seen }];
        await commitChange(request, { place, contents, changes, typed, summary: `Delete ${path}` }, tools);
        return sendOn(reply, { place, typed, path: await remainingFolder(request, place, tools) }, tools);
      } catch (error) {
        return sendDeletionAgain({ request, reply }, tools, { place, path, seen, typed, error });
      } finally {
        await contents.discard();
      }
    },
  );
}

/** Returns the nearest folder of a deleted file that still exists. */
async function remainingFolder(
  request: FastifyRequest,
  { branch, path }: EditedPlace,
  { editing }: EditTools,
): Promise<string> {
  const names = { branch, file: path };
  const now = await editing.at(request.viewer, repositoryOf(request.params), names);
  let folder = path;
  do folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
  while (folder !== '' && (await editing.read(now, folder)).kind !== 'folder');
  return folder;
}

async function sendDeletionAgain(
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  tools: EditTools,
  failed: {
    readonly place: EditedPlace;
    readonly path: string;
    readonly seen: string;
    readonly typed: ReturnType<typeof commitFieldsOf>;
    readonly error: unknown;
  },
): Promise<FastifyReply> {
  const { place, path, typed, error } = failed;
  const file = await tools.editing.read(place, path);
  const current = file.kind === 'text' || file.kind === 'other' ? file.oid : failed.seen;
  const { problem } = failedChange(error, call.reply);
  const isStale = isFailure(error, 'invalid') && current !== failed.seen;
  const words = isStale
    ? 'Someone else has changed this file meanwhile. Delete it again if you still want to.'
    : problem;
  const view = await viewOf(call, place, tools, { problem: words, typed });
  return sendPage(call.reply, deletionPage(view, { path, seen: current }));
}

const UPLOAD: FileForm = { field: 'files', bytesMax: WEB_LIMITS.uploadFormBytesMax };

function uploadRoutes(app: App, tools: EditTools): void {
  acceptForms(app);
  app.get(
    '/:owner/:repo/_upload/*',
    { config: { action: CONTENTS.write }, schema },
    async (request, reply) => {
      const place = await locate(request, tools);
      return sendPage(reply, uploadPage(await viewOf({ request, reply }, place, tools), place.path));
    },
  );

  app.post(
    '/:owner/:repo/_upload/*',
    {
      config: {
        action: CONTENTS.write,
        isForm: true,
        acceptsForm: UPLOAD,
        bodyBytesInMemory: HTTP_LIMITS.objectBodyBytesInMemory,
      },
      schema,
      ...formOptions(UPLOAD),
    },
    async (request, reply) => receiveUpload({ request, reply }, tools),
  );
}

async function receiveUpload(
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  tools: EditTools,
): Promise<FastifyReply> {
  const { request, reply } = call;
  const { writing } = tools;
  const path = repositoryOf(request.params);
  const { repository } = await writing.find(request.viewer, path);
  const contents = writing.contentsFor(repository);
  const names: string[] = [];
  const arrived: Awaited<ReturnType<typeof contents.add>>[] = [];
  const fields = new URLSearchParams();
  const form = { fileBytesMax: WEB_LIMITS.uploadFileBytesMax, filesMax: WEB_LIMITS.uploadFilesMax, fields };
  try {
    await readUploadForm(request, form, async ({ name, bytes }) => {
      arrived.push(await contents.add(bytes));
      names.push(name);
    });
    const { place, folder, typed } = await uploadedTo(request, fields, tools);
    if (arrived.length === 0) return sendUploadAgain(call, tools, fields, 'Choose at least one file.');
    const changes = arrived.map((content, index): FileChange => {
      const name = names[index] ?? '';
      return { kind: 'upload', path: folder === '' ? name : `${folder}/${name}`, content, oid: undefined };
    });
    const summary = names.length === 1 ? `Upload ${names[0]}` : `Upload ${names.length} files`;
    await commitChange(request, { place, contents, changes, typed, summary }, tools);
    return sendOn(reply, { place, typed, path: folder }, tools);
  } catch (error) {
    if (!fields.has('branch')) throw error;
    const { problem } = failedChange(error, reply);
    return sendUploadAgain(call, tools, fields, problem);
  } finally {
    await contents.discard();
  }
}

async function uploadedTo(request: FastifyRequest, fields: URLSearchParams, { editing }: EditTools) {
  const field = (name: string) => fields.get(name) ?? '';
  const folder = typedPath(field('folder'));
  const names = { branch: field('branch'), file: folder };
  const place = await editing.at(request.viewer, repositoryOf(request.params), names);
  return { place, folder, typed: commitFieldsOf(field) };
}

async function sendUploadAgain(
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  tools: EditTools,
  fields: URLSearchParams,
  problem: string,
): Promise<FastifyReply> {
  const { place, folder, typed } = await uploadedTo(call.request, fields, tools);
  if (call.reply.statusCode === 200) call.reply.code(422);
  return sendPage(call.reply, uploadPage(await viewOf(call, place, tools, { problem, typed }), folder));
}
