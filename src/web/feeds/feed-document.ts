import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import { headerTime, wireTime } from '../../http/time.ts';

export const FEED_FORMATS = ['rss', 'atom'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

export const FEED_TYPES = {
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
} as const satisfies Record<FeedFormat, string>;

/** Texts are plain, except `content`, which is HTML. Times are in ms, and addresses are absolute. */
export interface FeedEntry {
  /** names the entry, and never changes */
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly link: string;
  readonly content: Html;
  readonly at: number;
}

export interface FeedDocument {
  readonly title: string;
  /** address of the feed itself */
  readonly self: string;
  /** address of the page with the same subject */
  readonly link: string;
  readonly updatedAt: number;
  readonly entries: readonly FeedEntry[];
}

/** Writes a feed as XML: RSS 2.0 (https://www.rssboard.org/rss-specification), or Atom (RFC 4287). */
export function writeFeed(document: FeedDocument, format: FeedFormat): string {
  return (format === 'rss' ? rssOf(document) : atomOf(document)).html;
}

function rssOf({ title, self, link, updatedAt, entries }: FeedDocument): Html {
  return html`${DECLARATION}
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${text(title)}</title>
<link>${text(link)}</link>
<description>${text(title)}</description>
<lastBuildDate>${headerTime(updatedAt)}</lastBuildDate>
<atom:link href="${self}" rel="self" type="${FEED_TYPES.rss}"/>
${entries.map(
  (entry) => html`<item>
<title>${text(entry.title)}</title>
<link>${text(entry.link)}</link>
<guid isPermaLink="false">${text(entry.id)}</guid>
<dc:creator>${text(entry.author)}</dc:creator>
<pubDate>${headerTime(entry.at)}</pubDate>
<description>${text(entry.content.html)}</description>
</item>
`,
)}</channel>
</rss>
`;
}

function atomOf({ title, self, link, updatedAt, entries }: FeedDocument): Html {
  return html`${DECLARATION}
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${text(self)}</id>
<title>${text(title)}</title>
<updated>${wireTime(updatedAt)}</updated>
<link href="${self}" rel="self" type="${FEED_TYPES.atom}"/>
<link href="${link}" rel="alternate" type="text/html"/>
${entries.map(
  (entry) => html`<entry>
<id>${text(entry.id)}</id>
<title>${text(entry.title)}</title>
<updated>${wireTime(entry.at)}</updated>
<author><name>${text(entry.author)}</name></author>
<link href="${entry.link}" rel="alternate" type="text/html"/>
<content type="html">${text(entry.content.html)}</content>
</entry>
`,
)}</feed>
`;
}

const DECLARATION = html`<?xml version="1.0" encoding="UTF-8"?>`;

/** XML 1.0 has no way to write these characters (section 2.2). */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function text(value: string): Html {
  return asWritten(value.toWellFormed().replaceAll(NOT_IN_XML, '\ufffd'));
}

/** Returns the links by which browsers and readers find the feeds of a page. @param path of the page */
export function feedLinks(title: string, path: string): Html {
  return feedLinksAt(title, (format) => `${path}.${format}`);
}

/** Returns the elements of `head` that lead to feeds at other paths. */
export function feedLinksAt(title: string, pathOf: (format: FeedFormat) => string): Html {
  return html`${FEED_FORMATS.map(
    (format) =>
      html`<link rel="alternate" type="${FEED_TYPES[format]}" title="${title}" href="${pathOf(format)}">\n`,
  )}`;
}
