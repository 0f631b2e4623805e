import { Type } from 'typebox';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { ACTIVITY } from '../../tracker/activities/actions.ts';
import type { Activity } from '../../tracker/activities/model.ts';
import type { Activities } from '../../tracker/activities/service.ts';
import { RELEASE } from '../../tracker/releases/actions.ts';
import type { Releases } from '../../tracker/releases/service.ts';
import { accountPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { FEED_FORMATS, type FeedDocument, type FeedFormat } from './feed-document.ts';
import { feedEntryOf, releaseEntryOf } from './feed-entries.ts';
import { sendFeed } from './send-feed.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly activities: Activities;
  readonly releases: Releases;
  readonly addresses: Addresses;
}

const PUBLISHED = { isDraft: false, isPrerelease: undefined, text: '' };
const FIRST_PAGE = { page: 1, limit: WEB_LIMITS.feedEntriesMax };

/** Registers the feeds of accounts, repositories and releases, for feed readers. */
export function feedPages(app: App, dependencies: Dependencies): void {
  const { accounts, repositories, activities, releases, addresses } = dependencies;
  for (const format of FEED_FORMATS) {
    app.get(
      `/:owner.${format}`,
      { config: { action: ACTIVITY.listOf }, schema: { params: Type.Object({ owner: Type.String() }) } },
      async (request, reply) => {
        const account = await accounts.getByName(request.viewer, request.params.owner);
        const { items } = await activities.ofAccount(request.viewer, account, {
          paging: FIRST_PAGE,
          // An organization does nothing by itself.
          onlyPerformed: account.kind === 'user',
        });
        const link = `${addresses.baseUrl}${accountPath(account.name)}`;
        const about = { title: `Feed of ${account.name}`, link, since: account.createdAt };
        return sendFeed(request, reply, documentOf(items, about, { format, addresses }), format);
      },
    );

    app.get(
      `/:owner/:repo.${format}`,
      {
        config: { action: ACTIVITY.listIn },
        schema: { params: Type.Object({ owner: Type.String(), repo: Type.String() }) },
      },
      async (request, reply) => {
        const { owner, repo: name } = request.params;
        const { repository } = await repositories.get(request.viewer, { owner, name }, ACTIVITY.listIn);
        const { items } = await activities.in(request.viewer, repository, { paging: FIRST_PAGE });
        const { htmlUrl: link } = repositoryAddresses(repository, addresses);
        const title = `Feed of ${repository.owner.name}/${repository.name}`;
        const document = documentOf(
          items,
          { title, link, since: repository.createdAt },
          { format, addresses },
        );
        return sendFeed(request, reply, document, format);
      },
    );

    app.get(
      `/:owner/:repo/releases.${format}`,
      {
        config: { action: RELEASE.read },
        schema: { params: Type.Object({ owner: Type.String(), repo: Type.String() }) },
      },
      async (request, reply) => {
        const { owner, repo: name } = request.params;
        const found = await releases.page(request.viewer, { owner, name }, PUBLISHED, FIRST_PAGE);
        return sendFeed(request, reply, releasesDocument(found, { format, addresses }), format);
      },
    );
  }
}

function releasesDocument(
  { repository, page: { items } }: Awaited<ReturnType<Releases['page']>>,
  { format, addresses }: { readonly format: FeedFormat; readonly addresses: Addresses },
): FeedDocument {
  const link = `${repositoryAddresses(repository, addresses).htmlUrl}/releases`;
  const times = items.map(({ publishedAt }) => publishedAt);
  return {
    title: `Releases of ${repository.owner.name}/${repository.name}`,
    link,
    self: `${link}.${format}`,
    updatedAt: Math.max(repository.createdAt, ...times),
    entries: items.map((release) => releaseEntryOf(release, addresses)),
  };
}

function documentOf(
  items: readonly Activity[],
  { title, link, since }: { readonly title: string; readonly link: string; readonly since: number },
  { format, addresses }: { readonly format: FeedFormat; readonly addresses: Addresses },
): FeedDocument {
  return {
    title,
    link,
    self: `${link}.${format}`,
    updatedAt: items[0]?.at ?? since,
    entries: items.map((activity) => feedEntryOf(activity, addresses)),
  };
}
