import type { StaticFile } from '../../http/pages/static-file.ts';

/** What an operator decides about the looks of all pages. */
export interface PageSettings {
  /** of this server, as its pages call it */
  readonly siteName: string;
  /** a sentence on top of every page; '' for none */
  readonly notice: string;
  readonly footerLinks: readonly FooterLink[];
  /** styles that come after those of the program */
  readonly styles: StaticFile | undefined;
  /** a picture in place of the mark of the program */
  readonly logo: StaticFile | undefined;
}

export interface FooterLink {
  readonly words: string;
  /** an address of another server, or a path of this one */
  readonly address: string;
}

/** The looks that the program brings. */
export const PLAIN_PAGES: PageSettings = {
  siteName: 'Quire',
  notice: '',
  footerLinks: [],
  styles: undefined,
  logo: undefined,
};
