import assert from 'node:assert/strict';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import type { Answer } from '../../../support/http/http.ts';
import { PageReader } from '../../../support/http/page-reader.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export function plainOf(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Returns the fields of forms of a page with this address, as a browser would send them. */
export function formsIn(page: string, action: string): readonly Record<string, string>[] {
  const forms = [...page.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];
  return forms.filter(([, to = '']) => plainOf(to) === action).map(([, , content = '']) => fieldsIn(content));
}

/** Returns the first form of a page with this address. @param has fields that it has with these values */
export function formIn(
  page: string,
  action: string,
  has: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const form = formsIn(page, action).find((fields) =>
    Object.entries(has).every(([name, value]) => fields[name] === value),
  );
  assert.ok(form !== undefined, `no form for ${action} in ${page}`);
  return form;
}

function fieldsIn(content: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of content.matchAll(/<input[^>]*>/g)) {
    const isBox = /type="(?:checkbox|radio)"/.test(tag);
    if (isBox && !/ checked/.test(tag)) continue;
    fields[attribute(tag, 'name')] = attribute(tag, 'value');
  }
  for (const [, name = '', text = ''] of content.matchAll(
    /<textarea name="([^"]*)"[^>]*>\n(.*?)<\/textarea>/gs,
  ))
    fields[name] = plainOf(text);
  return fields;
}

function attribute(tag: string, name: string): string {
  return plainOf(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

/** Signs a person in, in a browser without scripts. */
export async function browserOf(forge: TestForge, person: Person): Promise<PageReader> {
  const reader = new PageReader(forge);
  await reader.signIn(person);
  return reader;
}

/** Opens a page, which must exist. */
export async function openPage(reader: PageReader, path: string): Promise<string> {
  const { status, text } = await reader.get(path);
  assert.equal(status, 200, `${path} ${status} ${text}`);
  return text;
}

/** Requires that a form was done. @returns the path to which it leads, without the place in the page */
export function leadsTo(answer: Answer): string {
  assert.equal(answer.status, 303, answer.text);
  return (answer.headers.get('location') ?? '').replace(/#.*/, '');
}
