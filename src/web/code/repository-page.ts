import { type Html, html } from '../../base/core/text/html.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { accountPath, repositoryPath } from '../addresses.ts';

/** Returns links to the owner and the repository. */
export function breadcrumbs({ owner, name }: Repository): Html {
  const repository = { owner, name };
  return html`<p><a href="${accountPath(owner.name)}">${owner.name}</a> / <a href="${repositoryPath(repository)}">${name}</a></p>`;
}
