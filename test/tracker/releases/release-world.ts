import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { TestForgeOptions } from '../../support/forge/forge.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
export type Wire = any;

export const ENGINE = '/api/v1/repos/ada/engine';
export const RELEASES = `${ENGINE}/releases`;
export const ZEROS = '0'.repeat(40);

/** A forge with the repository `engine` of ada, which has one commit. ben may write it, and cid may read it. */
export interface ReleaseWorld {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly ben: Person;
  readonly cid: Person;
  /** the commit of the default branch */
  readonly tip: string;
}

export async function startReleases(t: TestContext, options: TestForgeOptions = {}): Promise<ReleaseWorld> {
  const forge = await startForge(t, options);
  const [ada, ben, cid] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cid'),
  ];
  await ada.repository('engine', { auto_init: true });
  for (const [who, permission] of [
    [ben, 'write'],
    [cid, 'read'],
  ] as const)
    assert.equal((await ada.put(`${ENGINE}/collaborators/${who.name}`, { permission })).status, 204);
  const tip: string = (await ada.get(`${ENGINE}/branches/main`)).body.commit.id;
  return { forge, ada, ben, cid, tip };
}

/** Creates a release and returns its record. */
export async function release(
  who: Person,
  tag: string,
  options: Record<string, unknown> = {},
  at = RELEASES,
): Promise<Wire> {
  const created = await who.post(at, { tag_name: tag, ...options });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** Uploads a file as the body of a request, and returns the record of the asset. */
export async function attach(
  who: Person,
  { id }: Wire,
  name: string,
  content = 'content',
  at = RELEASES,
): Promise<Wire> {
  const answer = await uploadBody(who, `${at}/${id}/assets?name=${encodeURIComponent(name)}`, content);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export function uploadBody(who: Person, url: string, content: string, type = 'application/octet-stream') {
  return who.send('POST', url, { body: content, headers: { 'content-type': type } });
}

/** The path of an address at this server. */
export function pathOf(url: string): string {
  return new URL(url).pathname;
}

export async function tagsOf(who: Person): Promise<readonly string[]> {
  return (await who.get(`${ENGINE}/tags`)).body.map(({ name }: { name: string }) => name);
}

export async function counterOf(who: Person): Promise<number> {
  return (await who.get(ENGINE)).body.release_counter;
}
