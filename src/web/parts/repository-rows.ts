import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import { repositoryPath } from '../addresses.ts';
import { type IconName, icon } from './icons.ts';
import { agoHtml } from './time.ts';
import { topicLabel } from './topics.ts';

/** Returns a list of repositories: what each is about, and when it changed. */
export function repositoryRows(items: readonly PermittedRepository[]): Html {
  return html`<ul class="rows box">
${items.map(({ repository }) => rowOf(repository))}</ul>`;
}

function rowOf(repository: Repository): Html {
  const { owner, name, description, topics, language, starsCount, forksCount, updatedAt } = repository;
  const about = description === '' ? html`` : html`<p>${description}</p>`;
  const labels = topics.length === 0 ? html`` : html`<p class="row">${topics.map(topicLabel)}</p>`;
  return html`<li><div class="grow"><h2 class="row-title">${icon(iconOf(repository))} <a href="${repositoryPath(repository)}">${owner.name}/<strong>${name}</strong></a> ${stateBadges(repository)}</h2>
${about}${labels}<p class="quiet small row">${language === '' ? html`` : html`<span>${language}</span>`}${countHtml('star', starsCount, 'stars')}${countHtml('branch', forksCount, 'forks')}<span>updated ${agoHtml(updatedAt)}</span></p></div></li>
`;
}

function iconOf({ isPrivate, isMirror, parentId }: Repository): IconName {
  if (isPrivate) return 'lock';
  if (isMirror) return 'download';
  return parentId === null ? 'repository' : 'branch';
}

function countHtml(name: IconName, count: number, words: string): Html {
  if (count === 0) return html``;
  return html`<span>${icon(name)} ${count.toLocaleString('en-US')}<span class="sr-only"> ${words}</span></span>`;
}

/** Returns the words for the state of a repository, such as `Private`. */
export function stateBadges({ isPrivate, isTemplate, isMirror, archivedAt }: Repository): readonly Html[] {
  const words = [
    ...(isPrivate ? ['Private'] : []),
    ...(isTemplate ? ['Template'] : []),
    ...(isMirror ? ['Mirror'] : []),
    ...(archivedAt === null ? [] : ['Archived']),
  ];
  return words.map((word) => html`<span class="badge">${word}</span> `);
}
