import { Type } from 'typebox';
import { asWritten, html } from '../../base/core/text/html.ts';
import { COMMIT } from '../../code/commits/actions.ts';
import type { Commits } from '../../code/commits/service.ts';
import type { ContentsLocation } from '../../code/contents/model.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import type { KnownCommit } from '../../code/git-data/model.ts';
import { TAG } from '../../code/tags/actions.ts';
import type { TagRef } from '../../code/tags/model.ts';
import type { Tags } from '../../code/tags/service.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { filePath, tagPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { FEED_FORMATS, type FeedDocument, type FeedEntry } from './feed-document.ts';
import { sendFeed } from './send-feed.ts';

interface Dependencies {
  readonly tags: Tags;
  readonly commits: Commits;
  readonly reading: ContentsReader;
  readonly addresses: Addresses;
}

const TAGS = { readMax: WEB_LIMITS.feedTagsReadMax, limit: WEB_LIMITS.feedEntriesMax };
const COMMITS = {
  slice: { limit: WEB_LIMITS.feedEntriesMax, offset: 0 },
  options: { hasStats: false, hasFiles: false, hasVerification: false },
} as const;
const InRepository = { owner: Type.String(), repo: Type.String() };

/** Registers the feeds of tags, of branches, and of the changes of files. */
export function gitFeedPages(app: App, { tags, commits, reading, addresses }: Dependencies): void {
  for (const format of FEED_FORMATS) {
    app.get(
      `/:owner/:repo/tags.${format}`,
      { config: { action: TAG.read }, schema: { params: Type.Object(InRepository) } },
      async (request, reply) => {
        const { owner, repo: name } = request.params;
        const found = await tags.listNewest(request.viewer, { owner, name }, TAGS);
        const { htmlUrl: link } = repositoryAddresses(found.repository, addresses);
        const document = documentOf(
          found.tags.map((tag) => tagEntryOf(tag, addresses)),
          {
            title: `Tags of ${found.repository.owner.name}/${found.repository.name}`,
            link,
            self: `${link}/tags.${format}`,
            since: found.repository.createdAt,
          },
        );
        return sendFeed(request, reply, document, format);
      },
    );

    app.get(
      `/:owner/:repo/${format}/branch/*`,
      {
        config: { action: COMMIT.read },
        schema: { params: Type.Object({ ...InRepository, '*': Type.String() }) },
      },
      async (request, reply) => {
        const { owner, repo: name, '*': refAndPath } = request.params;
        const address = { kind: 'branch', refAndPath };
        const location = await reading.locateAddress(request.viewer, { owner, name }, address, COMMIT.read);
        const { repository, snapshot, commit: oid, path } = location;
        const range = {
          head: { snapshot, oid },
          without: [],
          path: path === '' ? null : path,
          times: undefined,
        };
        const page = await commits.page(request.viewer, { repository, snapshot }, range, COMMITS);
        const { title, place } = placeOf(location);
        const document = documentOf(
          page.commits.map((commit) => commitEntryOf(commit, addresses)),
          {
            title,
            link: `${addresses.baseUrl}${filePath('src', location, path)}`,
            self: `${repositoryAddresses(repository, addresses).htmlUrl}/${format}/${place}`,
            since: repository.createdAt,
          },
        );
        return sendFeed(request, reply, document, format);
      },
    );
  }
}

/** Returns the title of a feed, and its place below the address of the repository. */
function placeOf({ repository, ref, path }: ContentsLocation): { title: string; place: string } {
  const parts = ['branch', ...ref.name.split('/'), ...(path === '' ? [] : path.split('/'))];
  const subject = path === '' ? ref.name : `${path} on ${ref.name}`;
  return {
    title: `Commits of ${subject} in ${repository.owner.name}/${repository.name}`,
    place: parts.map(encodeURIComponent).join('/'),
  };
}

function documentOf(
  entries: readonly FeedEntry[],
  { since, ...about }: Pick<FeedDocument, 'title' | 'link' | 'self'> & { readonly since: number },
): FeedDocument {
  return { ...about, entries, updatedAt: Math.max(since, ...entries.map(({ at }) => at)) };
}

/** A tag that moves is another entry. */
function tagEntryOf(
  { repository, name, oid, message, seconds, maker }: TagRef,
  addresses: Addresses,
): FeedEntry {
  const link = `${addresses.baseUrl}${tagPath(repository, name)}`;
  return {
    id: `${link}#${oid}`,
    title: name,
    author: maker,
    link,
    content: preformatted(message),
    at: (seconds ?? 0) * 1000,
  };
}

function commitEntryOf({ repository, commit, author }: KnownCommit, addresses: Addresses): FeedEntry {
  const link = `${repositoryAddresses(repository, addresses).htmlUrl}/commit/${commit.oid}`;
  const [title = ''] = commit.message.split('\n', 1);
  return {
    id: link,
    title,
    author: author?.name ?? commit.author.name,
    link,
    content: preformatted(commit.message),
    at: commit.committer.seconds * 1000,
  };
}

function preformatted(message: string): FeedEntry['content'] {
  const text = message.trim().slice(0, WEB_LIMITS.releasePageCharsMax).toWellFormed();
  return html`<pre>${asWritten(text)}</pre>`;
}
