import { type Html, html } from '../../base/core/text/html.ts';
import type { CommitPage, ComparedNames } from '../../code/commits/model.ts';
import type { KnownCommit } from '../../code/git-data/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { comparisonPath, repositoryPath } from '../addresses.ts';
import { breadcrumbs } from './repository-page.ts';

/**
 * Shows the commits of a comparison, and how to open a pull request with them. Pushes print the address of this page.
 *
 * @param shown.commits the first of the commits that the head has and the base lacks
 */
export function comparisonPage(
  repository: Repository,
  names: ComparedNames,
  { commits, addresses }: { readonly commits: CommitPage; readonly addresses: Addresses },
): { readonly title: string; readonly body: Html } {
  const base = names.base === '' ? repository.defaultBranch : names.base;
  const head = headOf(names, repository);
  const title = `${base} and ${head}`;
  const texts = comparisonPath(repository, { base, head, isDirect: names.isDirect });
  const left = commits.total - commits.commits.length;
  const body = html`${breadcrumbs(repository)}
<h1>Compare ${title}</h1>
<p>${head} has ${counted(commits.total)} that ${base} lacks: <a href="${texts}.diff">the diff</a>, <a href="${texts}.patch">the patches</a>.</p>
<ul>
${commits.commits.map(commitItem)}</ul>
${left > 0 ? html`<p>The API lists the other ${String(left)}.</p>` : html``}
${commits.total > 0 ? opening(repository, { base, head }, addresses) : html``}`;
  return { title: `${title} · ${repository.owner.name}/${repository.name}`, body };
}

function headOf({ head, headOwner, headRepository }: ComparedNames, { defaultBranch }: Repository): string {
  const branch = head === '' ? defaultBranch : head;
  if (headOwner === null) return branch;
  return `${headOwner}${headRepository === null ? '' : `/${headRepository}`}:${branch}`;
}

function counted(total: number): string {
  return total === 1 ? '1 commit' : `${total} commits`;
}

function commitItem({ repository, commit }: KnownCommit): Html {
  const [subject = ''] = commit.message.split('\n');
  return html`<li><a href="${repositoryPath(repository)}/commit/${commit.oid}">${subject}</a>, by ${commit.author.name}</li>\n`;
}

function opening(
  repository: Repository,
  { base, head }: { readonly base: string; readonly head: string },
  addresses: Addresses,
): Html {
  const input = JSON.stringify({ title: 'TITLE', head, base });
  return html`<h2>Open a pull request</h2>
<pre>curl -H 'Authorization: token TOKEN' -H 'Content-Type: application/json' \\
  -d '${input.replaceAll("'", `'\\''`)}' \\
  ${repositoryAddresses(repository, addresses).url}/pulls</pre>`;
}
