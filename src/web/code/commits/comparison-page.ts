import { reaches } from '../../../api/access/levels.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { ComparedCommits } from '../../../code/commits/compare.ts';
import type { Differences } from '../../../code/commits/differences.ts';
import type { CommitPage, ComparedNames } from '../../../code/commits/model.ts';
import { BRANCHES } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Page } from '../../../http/pages/page.ts';
import { commitFilePath, comparisonPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { commitListHtml } from '../../parts/commit-list.ts';
import { diffHtml } from '../../parts/diff/diff.ts';
import type { DiffLook } from '../../parts/diff/model.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';

/** What the page of a comparison shows. */
export interface ShownComparison {
  readonly compared: ComparedCommits;
  readonly names: ComparedNames;
  /** the first of the commits that the head has and the base lacks */
  readonly commits: CommitPage;
  readonly differences: Differences;
  readonly look: DiffLook;
  /** the form that opens a pull request; undefined: the page links to it */
  readonly opening?: Html | undefined;
}

/** The two ends of a comparison, as its address names them. */
export interface Ends {
  readonly base: string;
  readonly head: string;
  readonly isDirect: boolean;
}

/** The page of a comparison: what to compare, the commits, and the differences. Pushes print its address. */
export async function comparisonPage(shown: ShownComparison, addresses: Addresses): Promise<Page> {
  const { compared, names } = shown;
  const { permitted, repository } = compared.inBase;
  const ends = endsOf(names, compared);
  const title = `Compare ${ends.base} and ${ends.head}`;
  const body = html`${repositoryHeader(permitted, 'code')}
<div class="stack">
<h1>${title}</h1>
<div class="row">${basePicker(compared, ends)}<span aria-hidden="true">${ends.isDirect ? '‥' : '…'}</span>${headPicker(compared, ends, names)}<span class="end row">${otherWays(repository, ends)}</span></div>
${openingPart(shown, ends)}${await contentPart(shown, ends, addresses)}</div>`;
  return {
    title: `${title} · ${repository.owner.name}/${repository.name}`,
    body,
    hasForm: shown.opening !== undefined,
  };
}

/** Returns the ends with the default branch in place of a missing name. */
export function endsOf(
  { base, head, headOwner, headRepository, isDirect }: ComparedNames,
  { inBase, inHead }: ComparedCommits,
): Ends {
  const branch = head === '' ? inHead.repository.defaultBranch : head;
  const owner =
    headOwner === null ? '' : `${headOwner}${headRepository === null ? '' : `/${headRepository}`}:`;
  return {
    base: base === '' ? inBase.repository.defaultBranch : base,
    head: `${owner}${branch}`,
    isDirect,
  };
}

function basePicker({ inBase }: ComparedCommits, ends: Ends): Html {
  return picker('Base', ends.base, inBase.snapshot, (name) =>
    comparisonPath(inBase.repository, { ...ends, base: name }),
  );
}

function headPicker({ inBase, inHead }: ComparedCommits, ends: Ends, names: ComparedNames): Html {
  const { headOwner, headRepository } = names;
  const owner =
    headOwner === null ? '' : `${headOwner}${headRepository === null ? '' : `/${headRepository}`}:`;
  return picker('Head', ends.head, inHead.snapshot, (name) =>
    comparisonPath(inBase.repository, { ...ends, head: `${owner}${name}` }),
  );
}

/** Returns a menu of the first branches. */
function picker(words: string, shown: string, snapshot: Snapshot, pathOf: (name: string) => string): Html {
  const links: Html[] = [];
  for (const [ref] of snapshot.refs(BRANCHES)) {
    if (links.length === WEB_LIMITS.pickedRefsMax) break;
    const name = ref.slice(BRANCHES.length);
    links.push(html`<a href="${pathOf(name)}"${name === shown ? html` aria-current="true"` : html``}>${name}</a>
`);
  }
  return html`<details class="menu start"><summary class="button">${icon('branch')}<span class="quiet">${words}:</span> ${shown}</summary><div>
${links}</div></details>`;
}

/** Links to the comparison in the other direction, and to the other kind of comparison. */
function otherWays(repository: Repository, ends: Ends): Html {
  const { base, head, isDirect } = ends;
  const swap = head.includes(':')
    ? html``
    : html`<a class="button small" href="${comparisonPath(repository, { base: head, head: base, isDirect })}">Swap</a>`;
  const other = comparisonPath(repository, { base, head, isDirect: !isDirect });
  const patch = html`<a class="button small" href="${comparisonPath(repository, ends)}.patch" rel="nofollow">Patch</a>`;
  const words = isDirect ? 'Since the last common commit' : 'Compare the files as they are';
  return html`${swap}<a class="button small" href="${other}">${words}</a>${patch}`;
}

/** The way to a pull request with these commits. */
function openingPart({ compared, commits, opening }: ShownComparison, ends: Ends): Html {
  const { permitted, repository } = compared.inBase;
  const isPossible =
    commits.total > 0 && repository.archivedAt === null && reaches(permitted.units.pulls, 'read');
  if (!isPossible) return html``;
  if (opening !== undefined) return opening;
  const path = comparisonPath(repository, { ...ends, isDirect: false });
  return html`<div class="notice row"><span>Discuss these changes, and merge them into ${ends.base}.</span><a class="button primary end" href="${path}?expand=1">${icon('pull')}New pull request</a></div>
`;
}

async function contentPart(shown: ShownComparison, ends: Ends, addresses: Addresses): Promise<Html> {
  const { compared, commits, differences } = shown;
  if (commits.total === 0 && differences.total.files === 0)
    return emptyHtml(
      'There is nothing to compare',
      html`${ends.head} has no commit that ${ends.base} lacks. Choose another base or head above.`,
    );
  return html`${commitsPart(commits, ends, addresses)}
${await differencesPart(shown, compared, ends)}`;
}

function commitsPart({ commits, total }: CommitPage, { base, head }: Ends, addresses: Addresses): Html {
  const left = total - commits.length;
  const words = html`<h2>${counted(total, 'commit')}</h2><p class="quiet">${head} has ${counted(total, 'commit')} that ${base} lacks.</p>`;
  return html`<section class="stack tight" aria-label="Commits">${words}
${commitListHtml(commits, addresses)}${left > 0 ? html`<p class="quiet">and ${counted(left, 'older commit')}, which the API lists</p>` : html``}</section>
`;
}

function differencesPart(
  { differences, look }: ShownComparison,
  { inBase, inHead, from, head }: ComparedCommits,
  ends: Ends,
): Promise<Html> {
  const path = comparisonPath(inBase.repository, ends);
  return diffHtml(differences, {
    path,
    look,
    textPath: `${path}.diff`,
    fileAt: (side, file, kind) =>
      side === 'old'
        ? commitFilePath(kind, inBase.repository, { oid: from.oid, path: file })
        : commitFilePath(kind, inHead.repository, { oid: head.oid, path: file }),
  });
}
