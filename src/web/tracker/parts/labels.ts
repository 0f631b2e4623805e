import { type Html, html } from '../../../base/core/text/html.ts';
import type { Label } from '../../../tracker/labels/model.ts';

/** Returns the color of a label as a dot beside its name. */
export function labelDot({ color }: Pick<Label, 'color'>): Html {
  return html`<svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="#${color}"/></svg>`;
}

/** Returns a label. @param path where it leads; absent: it is no link */
export function labelHtml(label: Pick<Label, 'name' | 'color' | 'description'>, path?: string): Html {
  const { name, description } = label;
  const title = description === '' ? html`` : html` title="${description}"`;
  if (path === undefined) return html`<span class="label"${title}>${labelDot(label)}${name}</span>`;
  return html`<a class="label" href="${path}"${title}>${labelDot(label)}${name}</a>`;
}
