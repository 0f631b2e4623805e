import { Type } from 'typebox';
import { NO_ID } from '../../../../api/access/viewer.ts';
import { invalid } from '../../../../base/core/failure.ts';
import { parseId } from '../../../../base/core/text/ids.ts';
import type { App } from '../../../../http/app.ts';
import { isChecked } from '../../../../http/pages/forms.ts';
import { PULL } from '../../../../tracker/pulls/actions.ts';
import type { NewReviewComment, Verdict } from '../../../../tracker/pulls/reviews/model.ts';
import { WEB_LIMITS } from '../../../limits.ts';
import { type Acting, acting } from '../acting.ts';
import type { PullTools } from '../tools.ts';
import { commentAnchor } from './threads.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
const REVIEWS = '/:owner/:repo/pulls/:number/files/reviews';
const bodyLimit = WEB_LIMITS.textFormBytesMax;
const schema = { params: Params };
const config = { action: PULL.review, isForm: true } as const;
const DISMISS = { action: PULL.dismiss, isForm: true } as const;

/** Registers the forms of reviews and of their comments on lines. */
export function reviewForms(app: App, tools: PullTools): void {
  const { reviews } = tools;

  app.post(`${REVIEWS}/comments`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, (form) =>
      form.field('comment') === ''
        ? comment(form, tools, { isSingle: isChecked(request, 'single') })
        : replyTo(form, tools),
    ),
  );

  app.post(`${REVIEWS}/submit`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page, field, text }) => {
      const state = VERDICTS.get(field('type'));
      if (state === undefined) throw invalid('choose whether to comment, to approve or to request changes');
      const review = await reviews.create(viewer, named, {
        state,
        body: text('content'),
        commit: commitOf(field('head')),
        comments: [],
      });
      return review.entryId === null ? page : `${page}#issuecomment-${review.entryId}`;
    }),
  );

  app.post(`${REVIEWS}/discard`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, back, field }) => {
      await reviews.delete(viewer, { pull: named, id: idIn(field('review')) }, (current) => {
        if (current.state !== 'pending') throw invalid('the review was submitted already');
      });
      return back;
    }),
  );

  commentForms(app, tools);
  dismissalForm(app, tools);
}

const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ['comment', 'comment'],
  ['approve', 'approved'],
  ['reject', 'rejected'],
]);

/** Adds a comment on lines: to the pending review of the viewer, which it begins, or to a review of its own. */
async function comment(form: Acting, tools: PullTools, { isSingle }: { isSingle: boolean }): Promise<string> {
  const { viewer, named, back, field } = form;
  const written = {
    state: isSingle ? 'comment' : 'pending',
    body: '',
    commit: commitOf(field('head')),
  } as const;
  const review = await tools.reviews.create(viewer, named, { ...written, comments: [commentOf(form)] });
  const path = { pull: named, id: review.id };
  const last = (await tools.reviewComments.list(viewer, path)).at(-1);
  return last === undefined ? back : `${back}#${commentAnchor(last.id)}`;
}

function commentOf({ field, text }: Acting): NewReviewComment {
  const before = field('before') === '' ? 0 : Number(field('before'));
  const line = Number(field('line'));
  if (!Number.isInteger(before) || before < 0 || !Number.isInteger(line))
    throw invalid('the number of lines is a whole number');
  return {
    path: field('path'),
    side: field('side') === 'old' ? 'old' : 'new',
    line: line - before,
    extraLines: before,
    body: text('content'),
  };
}

async function replyTo(
  { viewer, named, back, field, text }: Acting,
  { reviewComments }: PullTools,
): Promise<string> {
  const added = await reviewComments.reply(viewer, named, idIn(field('comment')), text('content'));
  return `${back}#${commentAnchor(added.id)}`;
}

function commentForms(app: App, tools: PullTools): void {
  const { reviewComments, suggestions } = tools;

  app.post(`${REVIEWS}/delete`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, back, field }) => {
      const path = { pull: named, id: idIn(field('review')), commentId: idIn(field('comment')) };
      await reviewComments.delete(viewer, path, () => {});
      return back;
    }),
  );

  app.post(`${REVIEWS}/resolve`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, back, field }) => {
      const id = idIn(field('comment'));
      const isResolved = field('action') !== 'unresolve';
      await reviewComments.resolve(viewer, named.repository, id, { isResolved });
      return `${back}#${commentAnchor(id)}`;
    }),
  );

  app.post(`${REVIEWS}/suggestions`, { bodyLimit, config, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, back, field }) => {
      const id = idIn(field('comment'));
      await suggestions.apply(viewer, named, { commentIds: [id], message: '' });
      return `${back}#${commentAnchor(id)}`;
    }),
  );
}

function dismissalForm(app: App, tools: PullTools): void {
  app.post(`${REVIEWS}/dismiss`, { config: DISMISS, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, back, field }) => {
      const path = { pull: named, id: idIn(field('review')) };
      if (field('action') === 'undismiss') await tools.dismissals.undismiss(viewer, path);
      else
        await tools.dismissals.dismiss(viewer, path, {
          message: field('message').trim(),
          withEarlier: false,
        });
      return back;
    }),
  );
}

function idIn(text: string): number {
  return parseId(text) ?? NO_ID;
}

function commitOf(text: string): string | undefined {
  return text === '' ? undefined : text;
}
