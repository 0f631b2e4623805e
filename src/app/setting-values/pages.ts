import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { staticFile } from '../../http/pages/static-file.ts';
import type { FooterLink, PageSettings } from '../../web/frame/model.ts';
import { ConfigError } from '../config-error.ts';
import type { PAGE_SETTINGS } from './page-settings.ts';
import { listOf } from './values.ts';

const NAME_CHARS_MAX = 40;
const NOTICE_CHARS_MAX = 500;

/** @throws ConfigError */
export function pageSettingsOf(text: (name: keyof typeof PAGE_SETTINGS) => string): PageSettings {
  const siteName = text('siteName');
  const notice = text('siteNotice');
  const looks = text('looks');
  if (siteName.trim() === '' || siteName.length > NAME_CHARS_MAX)
    throw new ConfigError(`--site-name (QUIRE_SITE_NAME) must have 1 to ${NAME_CHARS_MAX} characters`);
  if (notice.length > NOTICE_CHARS_MAX)
    throw new ConfigError(
      `--site-notice (QUIRE_SITE_NOTICE) must have at most ${NOTICE_CHARS_MAX} characters`,
    );
  const fileOf = (name: string) => {
    if (looks === '') return undefined;
    const path = join(resolve(looks), name);
    return existsSync(path) ? staticFile(pathToFileURL(path)) : undefined;
  };
  if (looks !== '' && !isFolder(looks))
    throw new ConfigError(`--looks (QUIRE_LOOKS) must be a folder, not ${looks}`);
  return {
    siteName: siteName.trim(),
    notice: notice.trim(),
    footerLinks: listOf(text('footerLinks')).map(linkOf),
    styles: fileOf('custom.css'),
    logo: fileOf('logo.svg'),
  };
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function linkOf(text: string): FooterLink {
  const at = text.indexOf('=');
  const words = text.slice(0, Math.max(at, 0)).trim();
  const address = text.slice(at + 1).trim();
  if (words === '' || !/^(?:https?:\/\/|mailto:|\/(?!\/))/i.test(address))
    throw new ConfigError(
      `a link of --footer-links (QUIRE_FOOTER_LINKS) must be WORDS=ADDRESS, with an address that begins with https://, http://, mailto: or /, not ${text}`,
    );
  return { words, address };
}
