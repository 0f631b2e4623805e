import { Type } from 'typebox';
import { malformed, notFound } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { App } from '../../http/app.ts';
import {
  acceptForms,
  type FileForm,
  FORM,
  fileBytesMin,
  formOptions,
  readFormFile,
} from '../../http/bodies/forms.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import type { AttachmentIntake } from '../../tracker/issues/attachments/intake.ts';
import type { IssueAttachments } from '../../tracker/issues/attachments/service.ts';
import { ISSUE_LIMITS } from '../../tracker/issues/limits.ts';
import type { SubjectPath } from '../../tracker/issues/subjects.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import type { AssetIntake } from '../../tracker/releases/assets/intake.ts';
import { RELEASE_LIMITS } from '../../tracker/releases/limits.ts';
import { signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { issueFormPath } from './parts/view.ts';
import { openRelease, pathOf, type ReleaseFormServices } from './release-form-pages.ts';
import { releaseFormPage, releasesPath } from './release-parts.ts';
import { changeThread, type ThreadCall, type ThreadPages } from './thread-change.ts';

interface Dependencies extends ThreadPages, ReleaseFormServices {
  readonly attachments: IssueAttachments;
  readonly attachmentIntake: AttachmentIntake;
  readonly releaseAssetIntake: AssetIntake;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const OfIssue = Type.Object({ ...InRepository, number: Type.String() });
const OfComment = Type.Object({ ...InRepository, number: Type.String(), id: Type.String() });
const OfRelease = Type.Object({ ...InRepository, id: Type.String() });
const ISSUE_FILE: FileForm = { field: 'attachment', bytesMax: ISSUE_LIMITS.issueAttachmentBytesMax };
const RELEASE_FILE: FileForm = { field: 'attachment', bytesMax: RELEASE_LIMITS.releaseAssetBytesMax };
const bodyBytesInMemory = HTTP_LIMITS.objectBodyBytesInMemory;
const SEE_OTHER = 303;

/** Registers the forms that send files: of issues, comments and releases. */
export function uploadPages(app: App, dependencies: Dependencies): void {
  app.register(async (scope) => {
    const uploads = scope as App;
    // Programs that unsubscribe from mails send such forms without files to another page.
    uploads.removeContentTypeParser(FORM);
    acceptForms(uploads);
    issueUploads(uploads, dependencies);
    releaseUploads(uploads, dependencies);
  });
  deletions(app, dependencies);
}

function issueUploads(app: App, dependencies: Dependencies): void {
  const receive = async ({ request, viewer }: ThreadCall, to: SubjectPath) => {
    const { attachmentIntake } = dependencies;
    const arrival = await attachmentIntake.begin(viewer, to, fileBytesMin(request));
    await readFormFile(request, ISSUE_FILE, ({ name, bytes }) => {
      if (name === '') throw malformed('choose a file first');
      return attachmentIntake.receive(arrival, { name, bytes, at: undefined });
    });
  };
  app.post(
    '/:owner/:repo/issues/:number/assets',
    {
      config: { action: ISSUE.change, isForm: true, acceptsForm: ISSUE_FILE, bodyBytesInMemory },
      ...formOptions(ISSUE_FILE),
      schema: { params: OfIssue },
    },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run(call) {
          await receive(call, { on: 'issue', path: call.path });
          return `${issueFormPath(call.issue)}/edit`;
        },
      }),
  );
  app.post(
    '/:owner/:repo/issues/:number/comments/:id/assets',
    {
      config: { action: ISSUE.changeComment, isForm: true, acceptsForm: ISSUE_FILE, bodyBytesInMemory },
      ...formOptions(ISSUE_FILE),
      schema: { params: OfComment },
    },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run(call) {
          await receive(call, commentIn(call));
          return `${issueFormPath(call.issue)}/comments/${request.params.id}/edit`;
        },
      }),
  );
}

/** @throws ForgeError `not_found` */
function commentIn({ request, path }: ThreadCall): SubjectPath {
  const id = parseId((request.params as { id: string }).id);
  if (id === undefined) throw notFound('comment');
  return { on: 'comment', path: { ...path, id } };
}

function releaseUploads(app: App, dependencies: Dependencies): void {
  const { releaseAssetIntake, addresses } = dependencies;
  app.post(
    '/:owner/:repo/releases/:id/assets',
    {
      config: { action: RELEASE.change, isForm: true, acceptsForm: RELEASE_FILE, bodyBytesInMemory },
      ...formOptions(RELEASE_FILE),
      schema: { params: OfRelease },
    },
    async (request, reply) => {
      const { view, release } = await openRelease(request, reply, dependencies);
      try {
        const asked = { id: release.id, bytesMin: fileBytesMin(request) };
        const arrival = await releaseAssetIntake.begin(signedIn(request), pathOf(request), asked);
        await readFormFile(request, RELEASE_FILE, ({ name, bytes }) => {
          if (name === '') throw malformed('choose a file first');
          return releaseAssetIntake.receive(arrival, { name, bytes });
        });
      } catch (error) {
        const problem = problemOf(error, reply);
        if (problem === undefined) throw error;
        return sendPage(reply, releaseFormPage(view, release, release, problem));
      }
      const to = `${releasesPath(release.repository)}/${release.id}/edit`;
      return reply.redirect(localAddress(to, addresses), SEE_OTHER);
    },
  );
}

/** Registers the forms that delete files of issues and comments. */
function deletions(app: App, dependencies: Dependencies): void {
  const { attachments } = dependencies;
  app.post(
    '/:owner/:repo/issues/:number/assets/:attachment/delete',
    {
      config: { action: ISSUE.change, isForm: true },
      schema: { params: Type.Object({ ...OfIssue.properties, attachment: Type.String() }) },
    },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run({ viewer, path, issue }) {
          const at = { on: 'issue', path } as const;
          await attachments.delete(viewer, { at, id: request.params.attachment }, () => {});
          return `${issueFormPath(issue)}/edit`;
        },
      }),
  );
  app.post(
    '/:owner/:repo/issues/:number/comments/:id/assets/:attachment/delete',
    {
      config: { action: ISSUE.changeComment, isForm: true },
      schema: { params: Type.Object({ ...OfComment.properties, attachment: Type.String() }) },
    },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run(call) {
          const { attachment, id } = request.params;
          await attachments.delete(call.viewer, { at: commentIn(call), id: attachment }, () => {});
          return `${issueFormPath(call.issue)}/comments/${id}/edit`;
        },
      }),
  );
}
