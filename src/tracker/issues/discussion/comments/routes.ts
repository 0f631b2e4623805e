import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { SignedIn } from '../../../../api/access/viewer.ts';
import { operationsOn } from '../../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { NO_CONTENT } from '../../../../http/shapes.ts';
import { ISSUE } from '../../actions.ts';
import type { Comment, CommentPath, CommentText } from '../../models/comments.ts';
import { statedTimeOf, timeRangeOf } from '../../options.ts';
import { ISSUE_URL, ISSUES_URL } from '../../urls.ts';
import { CommentAnswer } from './present.ts';
import { CommentQuery, CreateCommentBody, EditCommentBody } from './schema.ts';
import type { Comments } from './service.ts';

const COMMENT_URL = `${ISSUES_URL}/comments/:id` as const;
/** The same operations at an address below the issue. */
const DEPRECATED_URL = `${ISSUE_URL}/comments/:id` as const;

interface Dependencies {
  readonly comments: Comments;
  readonly addresses: Addresses;
}

export function commentRoutes(app: App, dependencies: Dependencies): void {
  const { comments, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'issue', addresses });

  api.list(`${ISSUES_URL}/comments`, ISSUE.read, {
    id: 'issueGetRepoComments',
    isTagged: true,
    summary: 'List the comments of a repository',
    failures: ['invalid'],
    query: CommentQuery,
    answer: CommentAnswer,
    handle: ({ viewer, path, query, paging }) =>
      comments.listOfRepository(viewer, path, timeRangeOf(query), paging),
  });

  api.list(`${ISSUE_URL}/comments`, ISSUE.read, {
    id: 'issueGetComments',
    isTagged: true,
    summary: 'List the comments of an issue',
    failures: ['invalid'],
    query: CommentQuery,
    answer: CommentAnswer,
    handle: ({ viewer, path, params, query, paging }) =>
      comments.list(viewer, { repository: path, number: params.number }, timeRangeOf(query), paging),
  });

  api.post(`${ISSUE_URL}/comments`, ISSUE.comment, {
    id: 'issueCreateComment',
    summary: 'Comment on an issue',
    failures: ['archived', 'forbidden', 'invalid'],
    body: CreateCommentBody,
    status: 201,
    answer: CommentAnswer,
    handle: ({ viewer, path, params, body }) =>
      comments.create(viewer, { repository: path, number: params.number }, textOf(body)),
  });

  api.get(COMMENT_URL, ISSUE.read, {
    id: 'issueGetComment',
    isTagged: true,
    summary: 'Get a comment',
    otherwise: NO_CONTENT,
    answer: CommentAnswer,
    handle: async ({ viewer, path, params: { id }, reply }) =>
      orNoContent(reply, await comments.get(viewer, { repository: path, id })),
  });

  changeRoutes(app, dependencies);
}

function changeRoutes(app: App, { comments, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { required } = preconditionsOn(CommentAnswer, addresses);
  const edit = async (
    { viewer, body, ...call }: Changing & { readonly body: Static<typeof EditCommentBody> },
    path: CommentPath,
  ) => orNoContent(call.reply, await comments.edit(viewer, path, textOf(body), required(call.request)));
  const remove = ({ viewer, request }: Changing, path: CommentPath) =>
    comments.delete(viewer, path, required(request));
  const edits = {
    summary: 'Change a comment',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: EditCommentBody,
    otherwise: NO_CONTENT,
    answer: CommentAnswer,
  } as const;
  const removes = {
    summary: 'Delete a comment',
    failures: ['archived', 'precondition_failed'],
  } as const;

  api.patch(COMMENT_URL, ISSUE.changeComment, {
    ...edits,
    id: 'issueEditComment',
    handle: (call) => edit(call, { repository: call.path, id: call.params.id }),
  });
  api.patch(DEPRECATED_URL, ISSUE.changeComment, {
    ...edits,
    id: 'issueEditCommentDeprecated',
    deprecated: true,
    handle: (call) => edit(call, { repository: call.path, ...call.params }),
  });
  api.delete(COMMENT_URL, ISSUE.changeComment, {
    ...removes,
    id: 'issueDeleteComment',
    handle: (call) => remove(call, { repository: call.path, id: call.params.id }),
  });
  api.delete(DEPRECATED_URL, ISSUE.changeComment, {
    ...removes,
    id: 'issueDeleteCommentDeprecated',
    deprecated: true,
    handle: (call) => remove(call, { repository: call.path, ...call.params }),
  });
}

interface Changing {
  readonly viewer: SignedIn;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function textOf(body: Static<typeof CreateCommentBody>): CommentText {
  return {
    body: body.body,
    ...(body.updated_at === undefined ? {} : { at: statedTimeOf(body.updated_at) }),
  };
}

/** Responds without a record if the entry is not a comment. */
function orNoContent(reply: FastifyReply, comment: Comment | undefined): Comment | FastifyReply {
  return comment ?? reply.code(204).send();
}
