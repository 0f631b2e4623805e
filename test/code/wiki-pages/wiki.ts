import type { Person } from '../../support/forge/forge.ts';

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const textOf = (encoded: string) => Buffer.from(encoded, 'base64').toString();

/** Address of the wiki of a repository in the API. */
export function wikiUrl(rest: string, repository = 'ada/engine'): string {
  return `/api/v1/repos/${repository}/wiki/${rest}`;
}

/** Creates a page, which must succeed, and returns its record. */
// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
export async function newPage(person: Person, title: string, text = '', repository?: string): Promise<any> {
  const content = { title, content_base64: base64(text) };
  const made = await person.post(wikiUrl('new', repository), content);
  if (made.status !== 201) throw new Error(`no page ${title}: ${made.status} ${made.text}`);
  return made.body;
}
