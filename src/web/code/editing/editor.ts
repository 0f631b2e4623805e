import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFailure } from '../../../base/core/failure.ts';
import { html } from '../../../base/core/text/html.ts';
import type { FileContent } from '../../../code/contents/file-contents.ts';
import type { FileChange } from '../../../code/contents/model.ts';
import type { EditedPlace } from '../../../code/contents/writing/editing.ts';
import { fieldOf } from '../../../http/pages/forms.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { repositoryOf } from '../route-parts.ts';
import {
  commitChange,
  commitFieldsOf,
  type EditTools,
  type FailedChange,
  failedChange,
  sendOn,
  typedPath,
  viewOf,
} from './answers.ts';
import { type EditedText, editorPage, staleHtml } from './form-pages.ts';
import type { CommitFields } from './model.ts';
import { branchFilePath, editPath } from './parts.ts';

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends the form that edits the file at a place. */
export async function sendEditor(call: Call, place: EditedPlace, tools: EditTools): Promise<FastifyReply> {
  const file = await tools.editing.read(place, place.path);
  if (file.kind !== 'text') return sendNotEditable(call.reply, place, file.kind);
  const view = await viewOf(call, place, tools);
  const { oid: seen, text } = file;
  return sendPage(call.reply, editorPage(view, { from: place.path, seen, path: place.path, text }));
}

/** Sends the form that makes a file in the folder at a place. */
export async function sendNewFile(call: Call, place: EditedPlace, tools: EditTools): Promise<FastifyReply> {
  const view = await viewOf(call, place, tools);
  const path = place.path === '' ? '' : `${place.path}/`;
  return sendPage(call.reply, editorPage(view, { from: '', seen: '', path, text: '' }));
}

function sendNotEditable(
  reply: FastifyReply,
  { permitted, branch, path }: EditedPlace,
  kind: 'other' | 'folder' | 'none',
): FastifyReply {
  const { repository } = permitted;
  const upload = editPath('_upload', repository, {
    branch,
    path: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '',
  });
  const words = {
    other: 'This file cannot be edited here: it is not text, or it is too large',
    folder: 'This is a folder: edit the files in it',
    none: 'There is no file with this path',
  };
  reply.code(kind === 'none' ? 404 : 422);
  return sendPage(reply, {
    title: `${path} · ${repository.owner.name}/${repository.name}`,
    body: html`${repositoryHeader(permitted, 'code')}
<h1 class="sr-only">Edit ${path}</h1>
${emptyHtml(words[kind], html`<a href="${branchFilePath(repository, { branch, path: kind === 'none' ? '' : path })}">Back to the files</a> or <a href="${upload}">upload a new version</a>`)}`,
  });
}

/** Writes an edited or new file. If this is not possible, sends the form again, with what was typed. */
export async function receiveEdit({ request, reply }: Call, tools: EditTools): Promise<FastifyReply> {
  const typed = commitFieldsOf((name) => fieldOf(request, name));
  const [from, path] = [fieldOf(request, 'from'), fieldOf(request, 'path')];
  const sent: EditedText = {
    from,
    seen: fieldOf(request, 'seen'),
    // A name may begin or end with blanks.
    path: path === from ? from : typedPath(path),
    text: fieldOf(request, 'text'),
  };
  const { editing, writing } = tools;
  const names = { branch: fieldOf(request, 'branch'), file: sent.from };
  const place = await editing.at(request.viewer, repositoryOf(request.params), names);
  const contents = writing.contentsFor(place.permitted.repository);
  try {
    const current = await editing.read(place, sent.from);
    const original = sent.from !== '' && current.kind === 'text' ? current.text : '';
    const content = await contents.add([Buffer.from(withLineFeedsOf(original, sent.text))]);
    const changes = [changeOf(sent, content)];
    const summary = `${sent.from === '' ? 'Add' : 'Update'} ${sent.path}`;
    await commitChange(request, { place, contents, changes, typed, summary }, tools);
    return sendOn(reply, { place, typed, path: sent.path }, tools);
  } catch (error) {
    return sendAgain({ request, reply }, tools, { place, sent, typed, error });
  } finally {
    await contents.discard();
  }
}

function changeOf({ from, seen, path }: EditedText, content: FileContent): FileChange {
  if (from === '') return { kind: 'create', path, content };
  return { kind: 'update', path, content, oid: seen, fromPath: from === path ? undefined : from };
}

/**
 * Browsers send CRLF at the end of each line. The text gets the line feeds of the file: CRLF if all of its lines have it.
 */
function withLineFeedsOf(original: string, text: string): string {
  const hasCrlf = original.includes('\r\n') && !/(?<!\r)\n/.test(original);
  const plain = text.replaceAll('\r\n', '\n');
  return hasCrlf ? plain.replaceAll('\n', '\r\n') : plain;
}

interface FailedEdit {
  readonly place: EditedPlace;
  readonly sent: EditedText;
  readonly typed: CommitFields;
  readonly error: unknown;
}

async function sendAgain(call: Call, tools: EditTools, failed: FailedEdit): Promise<FastifyReply> {
  const { request, reply } = call;
  const { sent, typed, error } = failed;
  const names = { branch: failed.place.branch, file: sent.from };
  const place = await tools.editing.at(request.viewer, repositoryOf(request.params), names);
  const { defaultBranch } = place.permitted.repository;
  if (place.tip === null && isFailure(error, 'not_found') && place.branch !== defaultBranch) {
    // The next form begins at the default branch, on a new branch.
    const next = await tools.editing.at(request.viewer, repositoryOf(request.params), {
      branch: defaultBranch,
      file: sent.from,
    });
    const problem = `The branch ${place.branch} was deleted while you were writing. Your text is below: commit it to a new branch that starts at ${defaultBranch}.`;
    const file = await tools.editing.read(next, sent.from);
    const seen = file.kind === 'text' || file.kind === 'other' ? file.oid : '';
    reply.code(409);
    const view = await viewOf(call, next, tools, { problem, typed: { ...typed, newBranch: place.branch } });
    return sendPage(reply, editorPage(view, { ...sent, from: seen === '' ? '' : sent.from, seen }));
  }
  const stale = await staleEdit(call, tools, { ...failed, place });
  if (stale !== undefined) return stale;
  const { problem } = failedChange(error, reply);
  return sendPage(reply, editorPage(await viewOf(call, place, tools, { problem, typed }), sent));
}

/** Sends the form with the changes of someone else, if the file is not the version that was edited. */
async function staleEdit(
  call: Call,
  tools: EditTools,
  { place, sent, typed, error }: FailedEdit,
): Promise<FastifyReply | undefined> {
  if (sent.from === '' || place.tip === null || !isFailure(error, 'invalid', 'not_found')) return undefined;
  const file = await tools.editing.read(place, sent.from);
  const { reply } = call;
  if (file.kind === 'none') {
    const problem = `The file ${sent.from} was deleted or moved while you were writing. Commit to create it again.`;
    reply.code(409);
    const view = await viewOf(call, place, tools, { problem, typed });
    return sendPage(reply, editorPage(view, { ...sent, from: '', seen: '' }));
  }
  if (file.kind === 'folder' || file.oid === sent.seen) return undefined;
  const hunks = await tools.editing.changesSince(place, { seen: sent.seen, current: file.oid });
  const failure: FailedChange = {
    problem:
      'Someone else has changed this file while you were writing. Their changes are below. Add what you want to keep of them to your text, and commit again: the commit replaces their version.',
  };
  reply.code(409);
  const view = await viewOf(call, place, tools, { ...failure, typed });
  const about = staleHtml(view, sent.from, hunks);
  return sendPage(reply, editorPage({ ...view, about }, { ...sent, seen: file.oid }));
}
