import type { FastifyReply } from 'fastify';
import { operationsOn } from '../../../../api/operations/operations.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_URL, ISSUES_URL } from '../../urls.ts';
import { ReactionAnswer } from './present.ts';
import { EditReactionBody } from './schema.ts';
import type { Reactions } from './service.ts';

const OF_ISSUE = `${ISSUE_URL}/reactions` as const;
const OF_COMMENT = `${ISSUES_URL}/comments/:id/reactions` as const;

interface Dependencies {
  readonly reactions: Reactions;
  readonly addresses: Addresses;
}

const ADDING = {
  failures: ['archived', 'forbidden'],
  body: EditReactionBody,
  status: 201,
  answer: ReactionAnswer,
  otherwise: { 200: ReactionAnswer.shape },
} as const;
const REMOVING = { failures: ['archived', 'forbidden'], body: EditReactionBody, status: 200 } as const;

export function reactionRoutes(app: App, { reactions, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });

  api.list(OF_ISSUE, ISSUE.read, {
    id: 'issueGetIssueReactions',
    isTagged: true,
    summary: 'List the reactions to an issue',
    answer: ReactionAnswer,
    handle: ({ viewer, path: repository, params: { number }, paging }) =>
      reactions.list(viewer, { on: 'issue', path: { repository, number } }, paging),
  });

  api.post(OF_ISSUE, ISSUE.comment, {
    ...ADDING,
    id: 'issuePostIssueReaction',
    summary: 'React to an issue',
    handle: async ({ viewer, path: repository, params: { number }, body, reply }) => {
      const at = { on: 'issue', path: { repository, number } } as const;
      const { reaction, isNew } = await reactions.add(viewer, at, body.content);
      return isNew ? reaction : sendKnown(reply, ReactionAnswer.present(reaction, viewer, addresses));
    },
  });

  api.delete(OF_ISSUE, ISSUE.comment, {
    ...REMOVING,
    id: 'issueDeleteIssueReaction',
    summary: 'Take back a reaction to an issue',
    handle: ({ viewer, path: repository, params: { number }, body }) =>
      reactions.remove(viewer, { on: 'issue', path: { repository, number } }, body.content),
  });

  api.list(OF_COMMENT, ISSUE.read, {
    id: 'issueGetCommentReactions',
    isTagged: true,
    summary: 'List the reactions to a comment',
    answer: ReactionAnswer,
    handle: ({ viewer, path: repository, params: { id }, paging }) =>
      reactions.list(viewer, { on: 'comment', path: { repository, id } }, paging),
  });

  api.post(OF_COMMENT, ISSUE.comment, {
    ...ADDING,
    id: 'issuePostCommentReaction',
    summary: 'React to a comment',
    handle: async ({ viewer, path: repository, params: { id }, body, reply }) => {
      const at = { on: 'comment', path: { repository, id } } as const;
      const { reaction, isNew } = await reactions.add(viewer, at, body.content);
      return isNew ? reaction : sendKnown(reply, ReactionAnswer.present(reaction, viewer, addresses));
    },
  });

  api.delete(OF_COMMENT, ISSUE.comment, {
    ...REMOVING,
    id: 'issueDeleteCommentReaction',
    summary: 'Take back a reaction to a comment',
    handle: ({ viewer, path: repository, params: { id }, body }) =>
      reactions.remove(viewer, { on: 'comment', path: { repository, id } }, body.content),
  });
}

/** Responds with a reaction that the viewer had given before. */
function sendKnown(reply: FastifyReply, record: unknown): FastifyReply {
  return reply.code(200).send(record);
}
