import { isValues, parseMapping, UnusableFileError } from '../../base/core/text/yaml.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import type { ContactLink, IssueConfig } from './model.ts';

/**
 * Reads the configuration of new issues.
 *
 * @throws UnusableFileError
 */
export function configOf(text: string): IssueConfig {
  // An empty file sets nothing.
  const values = text.trim() === '' ? {} : parseMapping(text);
  const { blank_issues_enabled: blank = true, contact_links: links = [] } = values;
  if (typeof blank !== 'boolean') throw new UnusableFileError('blank_issues_enabled must be true or false');
  if (!Array.isArray(links)) throw new UnusableFileError('contact_links must be a list');
  return { allowsBlankIssues: blank, contactLinks: links.map(linkOf) };
}

function linkOf(value: unknown, index: number): ContactLink {
  const at = `contact_link at position ${index + 1}`;
  if (!isValues(value)) throw new UnusableFileError(`${at} must be a mapping`);
  const text = (key: string) => {
    const found = value[key];
    if (typeof found !== 'string' || found === '') throw new UnusableFileError(`${at} is missing ${key} key`);
    return found;
  };
  const link = { name: text('name'), url: text('url'), about: text('about') };
  if (!isWebAddress(link.url)) throw new UnusableFileError(`${at}: url must be an http or https address`);
  return link;
}

function isWebAddress(text: string): boolean {
  if (text.length > REPOSITORY_LIMITS.externalUrlCharsMax || !URL.canParse(text)) return false;
  return /^https?:\/\//i.test(text);
}
