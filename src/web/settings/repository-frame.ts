import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { sendPage } from '../../http/pages/page.ts';
import { repositoryPath } from '../addresses.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { besideNav } from '../parts/side-nav.ts';

const ROUTE = '/:owner/:repo/settings';

/** Parts of the settings of a repository, below their start. */
const PARTS = [
  ['', 'General'],
  ['/collaboration', 'Collaborators and teams'],
  ['/branches', 'Protected branches'],
  ['/tags', 'Protected tags'],
  ['/hooks', 'Webhooks'],
  ['/keys', 'Deploy keys'],
] as const;

export type RepositorySettingsPart = (typeof PARTS)[number][0];

/** Returns the path of a part of the settings of a repository. */
export function settingsPath(
  repository: Parameters<typeof repositoryPath>[0],
  part: RepositorySettingsPart = '',
): string {
  return `${repositoryPath(repository)}/settings${part}`;
}

/** Sends a page of the settings of a repository, beside the links to the others. */
export function sendRepositorySettings(
  reply: FastifyReply,
  page: {
    readonly permitted: PermittedRepository;
    readonly title: string;
    readonly part: RepositorySettingsPart;
    readonly body: Html;
  },
): FastifyReply {
  const { permitted, title, part, body } = page;
  const { repository } = permitted;
  const links = PARTS.map(([each, words]) => ({
    path: settingsPath(repository, each),
    words,
    route: `${ROUTE}${each}`,
  }));
  const content = html`<div class="stack">
<h1>${title}</h1>
${body}
</div>`;
  return sendPage(reply, {
    title: `${title} · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(permitted, 'settings')}${besideNav(
      reply,
      { label: 'Settings of the repository', links, current: settingsPath(repository, part) },
      content,
    )}`,
  });
}
