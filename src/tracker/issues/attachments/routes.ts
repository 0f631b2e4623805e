import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { operationsOn } from '../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../api/operations/preconditions.ts';
import { malformed } from '../../../base/core/failure.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { acceptForms, type FileForm, fileBytesMin, readFormFile } from '../../../http/bodies/forms.ts';
import { ISSUE } from '../actions.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { Attachment } from '../models/attachments.ts';
import { statedQueryTimeOf } from '../options.ts';
import type { SubjectPath } from '../subjects.ts';
import { ISSUE_URL, ISSUES_URL } from '../urls.ts';
import type { AttachmentIntake } from './intake.ts';
import { AttachmentAnswer, attachmentUrl } from './present.ts';
import { EditAttachmentBody } from './schema.ts';
import { type AttachmentPath, type IssueAttachments, requireSameUrl } from './service.ts';

const OF_ISSUE = `${ISSUE_URL}/assets` as const;
const OF_COMMENT = `${ISSUES_URL}/comments/:id/assets` as const;
const FORM: FileForm = { field: 'attachment', bytesMax: ISSUE_LIMITS.issueAttachmentBytesMax };

interface Dependencies {
  readonly attachments: IssueAttachments;
  readonly attachmentIntake: AttachmentIntake;
  readonly addresses: Addresses;
}

const READ = { isTagged: true, answer: AttachmentAnswer } as const;
const ADDED = {
  // A malformed form has status 400, as in the reference.
  statusOf: ({ kind }: { readonly kind: string }) => (kind === 'malformed' ? 400 : undefined),
  failures: ['archived', 'forbidden', 'invalid', 'malformed', 'too_large'],
  form: FORM,
  query: { name: Type.Optional(Type.String()), updated_at: Type.Optional(Type.String()) },
  status: 201,
  answer: AttachmentAnswer,
} as const;
const EDITED = {
  failures: ['archived', 'invalid', 'precondition_failed'],
  body: EditAttachmentBody,
  status: 201,
  answer: AttachmentAnswer,
} as const;
const REMOVED = { failures: ['archived', 'precondition_failed'] } as const;

export function attachmentRoutes(app: App, dependencies: Dependencies): void {
  acceptForms(app);
  ofIssues(app, dependencies);
  ofComments(app, dependencies);
}

function ofIssues(app: App, dependencies: Dependencies): void {
  const { attachments, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { add, edit, remove } = changesWith(dependencies);
  const at = (call: { readonly path: IssueRepository; readonly params: { readonly number: string } }) =>
    ({ on: 'issue', path: { repository: call.path, number: call.params.number } }) as const;

  api.wholeList(OF_ISSUE, ISSUE.read, {
    ...READ,
    id: 'issueListIssueAttachments',
    summary: 'List the attachments of an issue',
    handle: (call) => attachments.list(call.viewer, at(call)),
  });
  api.post(OF_ISSUE, ISSUE.change, {
    ...ADDED,
    id: 'issueCreateIssueAttachment',
    summary: 'Attach a file to an issue',
    handle: (call) => add(call, at(call)),
  });
  const one = `${OF_ISSUE}/:attachment_id` as const;
  api.get(one, ISSUE.read, {
    ...READ,
    id: 'issueGetIssueAttachment',
    summary: 'Get an attachment of an issue',
    handle: (call) => attachments.get(call.viewer, { at: at(call), id: call.params.attachment_id }),
  });
  api.patch(one, ISSUE.change, {
    ...EDITED,
    id: 'issueEditIssueAttachment',
    summary: 'Rename an attachment of an issue',
    handle: (call) => edit(call, { at: at(call), id: call.params.attachment_id }),
  });
  api.delete(one, ISSUE.change, {
    ...REMOVED,
    id: 'issueDeleteIssueAttachment',
    summary: 'Delete an attachment of an issue',
    handle: (call) => remove(call, { at: at(call), id: call.params.attachment_id }),
  });
}

function ofComments(app: App, dependencies: Dependencies): void {
  const { attachments, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { add, edit, remove } = changesWith(dependencies);
  const at = (call: { readonly path: IssueRepository; readonly params: { readonly id: number } }) =>
    ({ on: 'comment', path: { repository: call.path, id: call.params.id } }) as const;

  api.wholeList(OF_COMMENT, ISSUE.read, {
    ...READ,
    id: 'issueListIssueCommentAttachments',
    summary: 'List the attachments of a comment',
    handle: (call) => attachments.list(call.viewer, at(call)),
  });
  api.post(OF_COMMENT, ISSUE.changeComment, {
    ...ADDED,
    id: 'issueCreateIssueCommentAttachment',
    summary: 'Attach a file to a comment',
    handle: (call) => add(call, at(call)),
  });
  const one = `${OF_COMMENT}/:attachment_id` as const;
  api.get(one, ISSUE.read, {
    ...READ,
    id: 'issueGetIssueCommentAttachment',
    summary: 'Get an attachment of a comment',
    handle: (call) => attachments.get(call.viewer, { at: at(call), id: call.params.attachment_id }),
  });
  api.patch(one, ISSUE.changeComment, {
    ...EDITED,
    id: 'issueEditIssueCommentAttachment',
    summary: 'Rename an attachment of a comment',
    handle: (call) => edit(call, { at: at(call), id: call.params.attachment_id }),
  });
  api.delete(one, ISSUE.changeComment, {
    ...REMOVED,
    id: 'issueDeleteIssueCommentAttachment',
    summary: 'Delete an attachment of a comment',
    handle: (call) => remove(call, { at: at(call), id: call.params.attachment_id }),
  });
}

type IssueRepository = SubjectPath['path']['repository'];

interface Changing {
  readonly viewer: SignedIn;
  readonly request: FastifyRequest;
}

interface Adding extends Changing {
  readonly query: { readonly name?: string; readonly updated_at?: string };
}

interface Editing extends Changing {
  readonly body: { readonly name?: string; readonly browser_download_url?: string };
}

function changesWith({ attachments, attachmentIntake, addresses }: Dependencies) {
  const { required } = preconditionsOn(AttachmentAnswer, addresses);
  return {
    async add({ viewer, query, request }: Adding, to: SubjectPath): Promise<Attachment> {
      const { name: wanted = '', updated_at: stated } = query;
      const at = stated === undefined || stated === '' ? undefined : statedQueryTimeOf(stated);
      const arrival = await attachmentIntake.begin(viewer, to, fileBytesMin(request));
      return readFormFile(request, FORM, ({ name, bytes }) => {
        // A part without the name of a file is a plain field.
        if (name === '') throw malformed(`the part "${FORM.field}" of the form is not a file`);
        return attachmentIntake.receive(arrival, { name: wanted === '' ? name : wanted, bytes, at });
      });
    },
    edit({ viewer, body, request }: Editing, path: AttachmentPath): Promise<Attachment> {
      const requireCurrent = required(request);
      return attachments.rename(viewer, path, body.name ?? '', (current) => {
        requireCurrent(current);
        requireSameUrl(body.browser_download_url, attachmentUrl(current, addresses));
      });
    },
    remove: ({ viewer, request }: Changing, path: AttachmentPath) =>
      attachments.delete(viewer, path, required(request)),
  };
}
