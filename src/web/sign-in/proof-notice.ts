import { lacksProof } from '../../api/access/guard.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { CONFIRM_PATH } from '../../http/errors/web.ts';

/**
 * Returns a form, or the way to confirm first who the user is. Otherwise the user would type into a form that is lost when
 * the confirmation leads back to the page.
 *
 * @param path of the page
 */
export function afterProof(viewer: Viewer, path: string, form: Html): Html {
  if (!lacksProof(viewer)) return form;
  const confirm = `${CONFIRM_PATH}?redirect_to=${encodeURIComponent(path)}`;
  return html`<p class="notice"><a href="${confirm}">Confirm first that it is you</a>, to add a key.</p>`;
}
