import { reaches } from '../../api/access/levels.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { accountPath, repositoryPath } from '../addresses.ts';
import { icon } from './icons.ts';
import { type Tab, tabsHtml } from './lists.ts';
import { stateBadges } from './repository-rows.ts';

/** The part of a repository that a page belongs to. */
export type RepositoryPart = 'code' | 'issues' | 'pulls' | 'releases' | 'wiki' | 'settings';

/**
 * Returns the name of a repository, its state, and the tabs of what the viewer may see of it.
 *
 * @param acts buttons beside the name
 */
export function repositoryHeader(
  permitted: PermittedRepository,
  part: RepositoryPart,
  acts: Html = html``,
): Html {
  const { repository, parent } = permitted;
  const { owner, name } = repository;
  const origin =
    parent === null
      ? html``
      : html`<p class="quiet small">forked from <a href="${repositoryPath(parent.repository)}">${parent.repository.owner.name}/${parent.repository.name}</a></p>`;
  const path = repositoryPath(repository);
  return html`<div class="page-head">
<div class="crumbs">${icon(repository.isPrivate ? 'lock' : 'repository')} <a href="${accountPath(owner.name)}">${owner.name}</a> / <strong><a href="${path}">${name}</a></strong> ${stateBadges(repository)}${acts}</div>
${origin}</div>
${tabsHtml('Repository', tabsOf(permitted), part === 'code' ? path : `${path}/${part}`)}
`;
}

function tabsOf({ repository, units, level }: PermittedRepository): readonly Tab[] {
  const path = repositoryPath(repository);
  const { units: settings } = repository;
  const tabs: Tab[] = [{ path, words: 'Code', icon: icon('file') }];
  if (settings.issues.kind !== 'off' && reaches(units.issues, 'read'))
    tabs.push({
      path: `${path}/issues`,
      words: 'Issues',
      icon: icon('issue'),
      count: repository.openIssuesCount,
    });
  if (settings.pulls !== null && reaches(units.pulls, 'read'))
    tabs.push({
      path: `${path}/pulls`,
      words: 'Pull requests',
      icon: icon('pull'),
      count: repository.openPullsCount,
    });
  if (settings.hasReleases && reaches(units.releases, 'read'))
    tabs.push({
      path: `${path}/releases`,
      words: 'Releases',
      icon: icon('tag'),
      count: repository.releasesCount,
    });
  if (settings.wiki.kind !== 'off' && reaches(units.wiki, 'read'))
    tabs.push({ path: `${path}/wiki`, words: 'Wiki', icon: icon('book') });
  if (reaches(level, 'admin')) tabs.push({ path: `${path}/settings`, words: 'Settings', icon: icon('gear') });
  return tabs;
}
