import type { Setting } from './setting.ts';

/** Settings of the looks of pages. */
export const PAGE_SETTINGS = {
  siteName: {
    flag: 'site-name',
    variable: 'QUIRE_SITE_NAME',
    about: 'name of this server on its pages',
    fallback: 'Quire',
  },
  siteNotice: {
    flag: 'site-notice',
    variable: 'QUIRE_SITE_NOTICE',
    about: 'sentence on top of every page',
    fallback: '',
    otherwise: 'none',
  },
  footerLinks: {
    flag: 'footer-links',
    variable: 'QUIRE_FOOTER_LINKS',
    about: 'comma-separated links at the end of every page, each as WORDS=ADDRESS',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  looks: {
    flag: 'looks',
    variable: 'QUIRE_LOOKS',
    about:
      'folder with custom.css, whose styles come after those of the pages, and logo.svg; each may be missing',
    fallback: '',
    otherwise: 'none',
  },
} as const satisfies Record<string, Setting>;
