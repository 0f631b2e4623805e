import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { Branch, BranchOverview } from '../../../code/branches/model.ts';
import type { AheadBehind } from '../../../git/interface/history.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Page } from '../../../http/pages/page.ts';
import { comparisonPath, encoded, repositoryPath } from '../../addresses.ts';
import { formHtml, problemHtml } from '../../forms/form-parts.ts';
import { shortIdHtml, subjectHtml } from '../../parts/commits.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';
import { mayChangeCode } from '../rights.ts';

/** A form that was sent, and could not be done. */
export interface FailedForm {
  readonly problem: string;
  readonly form: 'new' | 'rename' | 'delete';
  readonly name: string;
  readonly start: string;
}

/** How the page of branches is answered. */
export interface BranchesView {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly addresses: Addresses;
  readonly page: number;
  readonly limit: number;
  readonly failed: FailedForm | undefined;
}

/** The page of the branches of a repository. */
export function branchesPage(overview: BranchOverview, view: BranchesView): Page {
  const { permitted, branches, total } = overview;
  const { repository } = permitted;
  const where = `${repository.owner.name}/${repository.name}`;
  const writes = mayChangeCode(permitted);
  const path = `${repositoryPath(repository)}/branches`;
  const [first, ...rest] = branches;
  const hasDefault = first?.name === repository.defaultBranch;
  const others = hasDefault ? rest : branches;
  return {
    title: `Branches · ${where}`,
    hasForm: writes,
    body: html`${repositoryHeader(permitted, 'code')}
<div class="stack">
<div class="row"><h1>Branches</h1><span class="quiet number">${counted(total, 'branch', 'branches')}</span><span class="end row"><a class="button" href="${repositoryPath(repository)}/tags">${icon('tag')}Tags</a>${writes ? newBranchMenu(path, overview, view) : html``}</span></div>
${problemHtml(view.failed?.problem)}
${hasDefault && first !== undefined ? html`<section class="box" aria-label="Default branch"><div class="title"><h2 class="small">Default branch</h2></div>${table([first], overview, view)}</section>` : html``}
${others.length === 0 ? emptyHtml(total === 0 ? 'This repository has no branches' : 'No other branches here') : html`<section class="box" aria-label="Branches"><div class="title"><h2 class="small">Branches by name</h2></div>${table(others, overview, view)}</section>`}
${pagerHtml(path, { page: view.page, hasNext: view.page * view.limit < total })}</div>`,
  };
}

function table(branches: readonly Branch[], overview: BranchOverview, view: BranchesView): Html {
  const writes = mayChangeCode(overview.permitted);
  return html`<ul class="rows">
${branches.map((branch) => branchRow(branch, overview, { writes, view }))}</ul>`;
}

function branchRow(
  branch: Branch,
  { counts }: BranchOverview,
  { writes, view }: { readonly writes: boolean; readonly view: BranchesView },
): Html {
  const { repository, name, commit, protection } = branch;
  const isDefault = name === repository.defaultBranch;
  const badges = html`${isDefault ? html`<span class="badge">default</span>` : html``}${protection === undefined ? html`` : html`<span class="badge">${icon('lock')}protected</span>`}`;
  const compare = isDefault ? html`` : distanceHtml(branch, counts.get(commit.oid));
  return html`<li><div class="grow"><div class="row tight"><strong><a href="${repositoryPath(repository)}/src/branch/${encoded(name)}">${name}</a></strong>${badges}</div>
<div class="quiet small">${shortIdHtml(repository, commit.oid)} <span class="subject">${subjectHtml(repository, commit)}</span> · ${agoHtml(commit.committer.seconds * 1000)}</div></div>
<span class="end row">${compare}${writes ? actionsMenu(branch, view) : html``}</span></li>
`;
}

/** How far a branch is from the default branch; the link compares them. */
function distanceHtml({ repository, name }: Branch, counts: AheadBehind | undefined): Html {
  const path = comparisonPath(repository, { base: repository.defaultBranch, head: name, isDirect: false });
  if (counts === undefined) return html`<a class="small" href="${path}">Compare</a>`;
  const { ahead, behind } = counts;
  const words = `${counted(behind, 'commit')} behind and ${counted(ahead, 'commit')} ahead of ${repository.defaultBranch}`;
  return html`<a class="small nowrap number" href="${path}" title="${words}"><span class="sr-only">${words}</span><span aria-hidden="true">${behind} behind, ${ahead} ahead</span></a>`;
}

function newBranchMenu(path: string, { permitted }: BranchOverview, view: BranchesView): Html {
  const { request, reply, addresses, failed } = view;
  const isFailed = failed?.form === 'new';
  const name = isFailed ? failed.name : '';
  const start = isFailed ? failed.start : permitted.repository.defaultBranch;
  const fields = html`<label>Name of the new branch <input name="name" value="${name}" required maxlength="255" autocapitalize="none" spellcheck="false"${isFailed ? html` aria-invalid="true"` : html``}></label>
<label>Starts at <input name="start" value="${start}" required maxlength="255" autocapitalize="none" spellcheck="false"><span class="hint">A branch, a tag or a commit</span></label>`;
  const form = formHtml(
    request,
    reply,
    { action: `${path}/_new`, fields, button: 'Create branch' },
    addresses,
  );
  return html`<details class="menu"${isFailed ? html` open` : html``}><summary class="button primary">${icon('plus')}New branch</summary><div class="padded">${form}</div></details>`;
}

function actionsMenu({ repository, name, commit, protection }: Branch, view: BranchesView): Html {
  const { request, reply, addresses, failed } = view;
  const path = `${repositoryPath(repository)}/branches`;
  const isDefault = name === repository.defaultBranch;
  const isFailed = failed?.form === 'rename' && failed.start === name;
  const seen = html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="seen" value="${commit.oid}">`;
  const rename = formHtml(
    request,
    reply,
    {
      action: `${path}/rename`,
      fields: html`${seen}<label>New name <input name="to" value="${isFailed ? failed.name : name}" required maxlength="255" autocapitalize="none" spellcheck="false"></label>`,
      button: 'Rename',
      isSecond: true,
    },
    addresses,
  );
  const remove =
    isDefault || protection !== undefined
      ? html``
      : html`<hr><div class="dangerous">${formHtml(request, reply, { action: `${path}/delete`, fields: html`${seen}<p class="small">The commits that no other branch or tag has are gone after some time.</p>`, button: `Delete ${name}`, isSecond: true }, addresses)}</div>`;
  return html`<details class="menu"${isFailed ? html` open` : html``}><summary class="button small" aria-label="Change ${name}">${icon('gear')}</summary><div class="padded">${rename}${remove}</div></details>`;
}
