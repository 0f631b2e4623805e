import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { TagRef } from '../../../code/tags/model.ts';
import type { FoundTags } from '../../../code/tags/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Page } from '../../../http/pages/page.ts';
import { encoded, repositoryPath, tagPath } from '../../addresses.ts';
import { feedLinks } from '../../feeds/feed-document.ts';
import { formHtml, problemHtml } from '../../forms/form-parts.ts';
import { shortIdHtml, subjectOf } from '../../parts/commits.ts';
import { icon } from '../../parts/icons.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';
import { mayChangeCode } from '../rights.ts';

/** How the page of tags is answered. */
export interface TagsView {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly addresses: Addresses;
  readonly problem: string | undefined;
}

/** The page of the tags of a repository, the highest names first. */
export function tagsPage(
  { permitted, total, paging }: FoundTags,
  tags: readonly TagRef[],
  view: TagsView,
): Page {
  const { repository } = permitted;
  const path = `${repositoryPath(repository)}/tags`;
  const writes = mayChangeCode(permitted);
  const list =
    tags.length === 0
      ? emptyHtml('No tags here', writes ? 'Push a tag, or make a release, which makes its tag.' : '')
      : html`<div class="box"><ul class="rows">
${tags.map((tag) => tagRow(tag, writes, view))}</ul></div>`;
  return {
    title: `Tags · ${repository.owner.name}/${repository.name}`,
    head: feedLinks('Tags', path),
    hasForm: writes,
    body: html`${repositoryHeader(permitted, 'code')}
<div class="stack">
<div class="row"><h1>Tags</h1><span class="quiet number">${counted(total, 'tag')}</span><span class="end row"><a class="button" href="${repositoryPath(repository)}/branches">${icon('branch')}Branches</a></span></div>
${problemHtml(view.problem)}
${list}
${pagerHtml(path, { page: paging.page, hasNext: paging.page * paging.limit < total })}</div>`,
  };
}

function tagRow(tag: TagRef, writes: boolean, view: TagsView): Html {
  const { repository, name, oid, target, message, seconds, maker } = tag;
  const archive = `${repositoryPath(repository)}/archive/${encoded(name)}`;
  const made = seconds === null ? html`` : html` · ${maker} ${agoHtml(seconds * 1000)}`;
  const words = message === '' ? html`` : html` <span class="subject">${subjectOf(message)}</span>`;
  return html`<li><div class="grow"><strong>${icon('tag')} <a href="${tagPath(repository, name)}">${name}</a></strong>${oid === target ? html`` : html` <span class="badge">annotated</span>`}
<div class="quiet small">${shortIdHtml(repository, target)}${words}${made}</div></div>
<span class="end row"><a class="button small" href="${archive}.zip" rel="nofollow">ZIP</a><a class="button small" href="${archive}.tar.gz" rel="nofollow">tar.gz</a>${writes ? deleteMenu(tag, view) : html``}</span></li>
`;
}

function deleteMenu({ repository, name, oid }: TagRef, { request, reply, addresses }: TagsView): Html {
  const fields = html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="seen" value="${oid}"><p class="small">Clones that have the tag keep it.</p>`;
  const form = formHtml(
    request,
    reply,
    { action: `${repositoryPath(repository)}/tags/delete`, fields, button: `Delete ${name}`, isSecond: true },
    addresses,
  );
  return html`<details class="menu"><summary class="button small" aria-label="Delete ${name}">${icon('trash')}</summary><div class="padded dangerous">${form}</div></details>`;
}
