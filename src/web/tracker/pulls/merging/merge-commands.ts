import { type Html, html } from '../../../../base/core/text/html.ts';
import { pullHeadRef } from '../../../../git/format/ref-names.ts';
import { repositoryAddresses } from '../../../../hosting/repositories/present.ts';
import type { Addresses } from '../../../../http/app.ts';
import type { Pull } from '../../../../tracker/pulls/model.ts';

/** Returns the commands by which a pull request is looked at, and merged, without the server. */
export function mergeCommands({ base, state }: Pull, addresses: Addresses): Html {
  const { htmlUrl } = repositoryAddresses(base.repository, addresses);
  const branch = `pull-${state.number}`;
  return html`<details class="grow"><summary class="quiet">Commands to check it out</summary>
<pre>git fetch ${htmlUrl}.git ${pullHeadRef(state.number)}:${branch}
git switch ${branch}</pre></details>`;
}
