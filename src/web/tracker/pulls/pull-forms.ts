import { Type } from 'typebox';
import { UPDATE_STYLES } from '../../../hosting/repositories/units.ts';
import type { App } from '../../../http/app.ts';
import { fieldsOf, isChecked } from '../../../http/pages/forms.ts';
import { isDraft } from '../../../tracker/issues/rules.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import { mergeWishOf } from '../../../tracker/pulls/merging/options.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { acting } from './acting.ts';
import { requireSeen } from './edit-page.ts';
import type { PullTools } from './tools.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
const PAGE = '/:owner/:repo/pulls/:number';
const bodyLimit = WEB_LIMITS.textFormBytesMax;
const schema = { params: Params };
const CHANGE = { action: PULL.change, isForm: true } as const;
const MERGE = { action: PULL.merge, isForm: true } as const;

/** Registers the forms that change a pull request, merge it, and request reviews. */
export function pullForms(app: App, tools: PullTools): void {
  changeForms(app, tools);
  mergeForms(app, tools);

  app.post(
    `${PAGE}/request_review`,
    { config: { action: PULL.review, isForm: true }, schema: { params: Params } },
    (request, reply) =>
      acting(request, reply, tools, async ({ viewer, named, page, field }) => {
        const namesIn = (name: string) =>
          fieldsOf(request, name)
            .map((text) => text.trim())
            .filter((text) => text !== '');
        const reviewers = { users: namesIn('reviewer'), teams: namesIn('team') };
        if (field('action') === 'remove') await tools.reviewRequests.remove(viewer, named, reviewers);
        else await tools.reviewRequests.add(viewer, named, reviewers);
        return page;
      }),
  );
}

function changeForms(app: App, tools: PullTools): void {
  const { pulls } = tools;
  app.post(`${PAGE}/edit`, { bodyLimit, config: CHANGE, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page, field, text }) => {
      const current = await pulls.get(viewer, named);
      const { base, state } = current;
      const isFork = state.head.repositoryId !== base.repository.id;
      const allowsMaintainerEdit = isChecked(request, 'maintainers');
      const target = field('base').trim();
      await pulls.edit(
        viewer,
        named,
        {
          title: field('title'),
          body: text('content'),
          ...(target === '' || target === state.baseBranch ? {} : { base: target }),
          ...(isFork && allowsMaintainerEdit !== state.allowsMaintainerEdit ? { allowsMaintainerEdit } : {}),
        },
        ({ issue }) => requireSeen(issue, field('version')),
      );
      return page;
    }),
  );

  app.post(`${PAGE}/draft`, { bodyLimit, config: CHANGE, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page, field }) => {
      const { issue } = await pulls.get(viewer, named);
      const wantsDraft = field('draft') === 'draft';
      if (isDraft(issue.title) === wantsDraft) return page;
      const title = wantsDraft ? `WIP: ${issue.title}` : withoutDraftMark(issue.title);
      await pulls.edit(viewer, named, { title }, () => {});
      return page;
    }),
  );

  for (const change of ['cleanup', 'restore'] as const)
    app.post(`${PAGE}/${change}`, { bodyLimit, config: CHANGE, schema }, (request, reply) =>
      acting(request, reply, tools, async ({ viewer, named, page }) => {
        if (change === 'cleanup') await tools.headBranches.delete(viewer, named);
        else await tools.headBranches.restore(viewer, named);
        return `${page}#merge`;
      }),
    );
}

function withoutDraftMark(title: string): string {
  const ready = title.replace(/^(?:WIP:|\[WIP\])\s*/i, '');
  return ready === '' ? title : ready;
}

function mergeForms(app: App, tools: PullTools): void {
  app.post(`${PAGE}/merge`, { bodyLimit, config: MERGE, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page, field, text }) => {
      const wish = mergeWishOf({
        Do: field('do'),
        MergeTitleField: field('merge_title_field'),
        MergeMessageField: text('merge_message_field'),
        MergeCommitID: field('merge_commit_id').trim(),
        head_commit_id: field('head_commit_id'),
        delete_branch_after_merge: isChecked(request, 'delete_branch_after_merge'),
        force_merge: isChecked(request, 'force_merge'),
        merge_when_checks_succeed: isChecked(request, 'merge_when_checks_succeed'),
      });
      await tools.pullMerges.merge(viewer, named, wish);
      return `${page}#merge`;
    }),
  );

  app.post(`${PAGE}/cancel_auto_merge`, { bodyLimit, config: MERGE, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page }) => {
      await tools.pullMerges.cancel(viewer, named);
      return `${page}#merge`;
    }),
  );

  app.post(`${PAGE}/update`, { bodyLimit, config: MERGE, schema }, (request, reply) =>
    acting(request, reply, tools, async ({ viewer, named, page, field }) => {
      const style = UPDATE_STYLES.find((each) => each === field('style'));
      await tools.pullUpdates.update(viewer, named, style);
      return `${page}#merge`;
    }),
  );
}
