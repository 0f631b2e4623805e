import { isFailure } from '../../../base/core/failure.ts';
import { html } from '../../../base/core/text/html.ts';
import type { Page } from '../../../http/pages/page.ts';
import type { OpenPull } from '../../../tracker/pulls/diffs/model.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { hasFormsOf } from '../parts/view.ts';
import { type PullPart, pullHead } from './head.ts';
import type { PullTools } from './tools.ts';
import { type PullView, pathOf } from './view.ts';

/**
 * Opens the commits of a pull request for a page.
 *
 * @returns a page that says why they cannot be shown: they are gone, or the viewer may not read the code
 */
export async function openDiffs(
  view: PullView,
  part: PullPart,
  { pullDiffs }: Pick<PullTools, 'pullDiffs'>,
): Promise<OpenPull | { readonly instead: Page }> {
  try {
    return await pullDiffs.open(view.viewer, pathOf(view.pull));
  } catch (error) {
    if (!isFailure(error, 'forbidden', 'not_found')) throw error;
    const { failure } = error;
    const why =
      failure.kind === 'not_found' ? sayOf(failure.say) : 'You may not read the code of this repository.';
    const { issue, base } = view.pull;
    const { owner, name } = base.repository;
    return {
      instead: {
        title: `${issue.title} #${issue.number} · ${owner.name}/${name}`,
        body: html`${pullHead(view, part, undefined)}
${emptyHtml('The commits cannot be shown', why)}`,
        ...hasFormsOf(view),
      },
    };
  }
}

function sayOf(say: string | undefined): string {
  return say === undefined
    ? 'The branch into which they were to be merged is gone.'
    : `${say.charAt(0).toUpperCase()}${say.slice(1)}.`;
}
