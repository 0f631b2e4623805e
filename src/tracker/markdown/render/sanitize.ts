import sanitizeHtml from 'sanitize-html';
import type { LinkBases } from '../model.ts';
import { DepthBound } from './depth.ts';

type Attributes = Readonly<Record<string, string>>;

const TAGS =
  `h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot
  blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption abbr
  bdo cite dfn mark small span time wbr center picture source`.split(/\s+/);

const ANYWHERE =
  `abbr align alt aria-hidden aria-label border cellpadding cellspacing class colspan datetime dir
  height id itemprop lang name open rowspan scope span start summary title valign width`.split(/\s+/);

const LINK_SCHEMES = 'http https mailto ftp git irc ircs magnet matrix sftp ssh tel xmpp'.split(' ');

/** Returns HTML without anything that runs, loads in the name of the reader, or pretends to be part of the page. */
export function sanitized(html: string, bases: LinkBases | undefined): string {
  const depth = new DepthBound();
  return sanitizeHtml(html, {
    allowedTags: TAGS,
    allowedAttributes: {
      '*': ANYWHERE,
      a: ['href', 'rel'],
      img: ['src', 'loading'],
      source: ['srcset', 'media'],
    },
    allowedClasses: {
      '*': [],
      code: ['language-*'],
      div: ['footnotes'],
      li: ['task-list-item'],
    },
    allowedSchemes: LINK_SCHEMES,
    allowedSchemesByTag: { img: ['http', 'https'], source: ['http', 'https'] },
    allowedSchemesAppliedToAttributes: ['href', 'src', 'srcset', 'cite'],
    parseStyleAttributes: false,
    onOpenTag: () => depth.opened(),
    onCloseTag: () => depth.closed(),
    parser: { Tokenizer: depth.tokenizer() },
    transformTags: {
      '*': (tagName, attributes) => ({ tagName, attribs: withOwnIds(attributes) }),
      a: (tagName, attributes) => ({ tagName, attribs: linkAttributes(attributes, bases) }),
      img: (tagName, attributes) => ({ tagName, attribs: imageAttributes(attributes, bases) }),
    },
  });
}

/** Prefixes ids, so that a text cannot take over the names that a page uses itself. */
function withOwnIds(attributes: Attributes): Record<string, string> {
  const own = { ...attributes };
  for (const name of ['id', 'name']) {
    const value = own[name];
    if (value !== undefined && !isOwnName(value)) own[name] = `user-content-${value}`;
  }
  return own;
}

function isOwnName(name: string): boolean {
  return /^(?:fn:|fnref:)?user-content-/.test(name);
}

function linkAttributes(attributes: Attributes, bases: LinkBases | undefined): Record<string, string> {
  const { href, ...others } = withOwnIds(attributes);
  if (href === undefined) return others;
  return { href: linkAddress(href, bases), ...others, rel: 'nofollow' };
}

function linkAddress(href: string, bases: LinkBases | undefined): string {
  if (!href.startsWith('#')) return resolved(href, bases?.links);
  const name = href.slice(1);
  return name === '' || isOwnName(name) ? href : `#user-content-${name}`;
}

function imageAttributes(attributes: Attributes, bases: LinkBases | undefined): Record<string, string> {
  const { src, ...others } = withOwnIds(attributes);
  return src === undefined ? others : { src: resolved(src, bases?.images), ...others };
}

/** Resolves a relative address as a browser would. The sanitizer checks the result. */
function resolved(address: string, base: string | undefined): string {
  if (base === undefined || address === '' || /^[a-z][a-z0-9+.-]*:/i.test(address)) return address;
  return URL.canParse(address, base) ? new URL(address, base).href : '';
}
