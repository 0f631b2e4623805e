import { type Html, html } from '../../../../base/core/text/html.ts';
import type { MergeOutlook } from '../../../../tracker/pulls/merging/outlook.ts';
import { type IconName, icon } from '../../../parts/icons.ts';

/** Returns one row of the merge box. @param end forms at its end */
export function row(
  name: IconName,
  look: '' | 'open' | 'closed' | 'merged' | 'warning' | 'quiet',
  content: Html,
  end = html``,
): Html {
  return html`<li>${icon(name, look)}<div class="grow">${content}</div>${end}</li>
`;
}

/** Whether the branches can be merged, as far as is known. */
export function isMergeable({ mergeability }: MergeOutlook): boolean {
  return mergeability === 'clean' || mergeability === 'contained' || mergeability === 'unknown';
}
