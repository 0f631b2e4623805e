import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { base64, contentsOf } from '../../code/contents/files.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { type Answer, type Credentials, request, type SendOptions } from '../../support/http/http.ts';

export const LFS_TYPE = 'application/vnd.git-lfs+json';

export interface TestObject {
  readonly oid: string;
  readonly size: number;
}

/** A user, or the forge for anonymous requests. */
export type Sender = Pick<Person | TestForge, 'send'>;

export function objectOf(content: string | Uint8Array): TestObject {
  const bytes = Buffer.from(content);
  return { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

export function pointerTo({ oid, size }: TestObject): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

/** Sends a request of git-lfs with a JSON body. */
export function sendLfs(
  who: Sender,
  method: string,
  path: string,
  json?: unknown,
  options: SendOptions & { as?: Credentials } = {},
): Promise<Answer> {
  const headers = { accept: LFS_TYPE, ...options.headers };
  return who.send(method, path, { ...(json === undefined ? {} : { json }), ...options, headers });
}

export function batch(
  who: Sender,
  repository: string,
  operation: string,
  objects: readonly unknown[],
  options?: SendOptions & { as?: Credentials },
): Promise<Answer> {
  const json = { operation, transfers: ['basic'], objects };
  return sendLfs(who, 'POST', `/${repository}.git/info/lfs/objects/batch`, json, options);
}

interface Action {
  readonly href: string;
  readonly header?: Record<string, string>;
}

/** Does what an action of a batch says, as git-lfs does: with its headers and no others. */
export function follow(
  method: string,
  action: Action,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const headers = { ...action.header };
  return request(method, action.href, body === undefined ? { headers } : { headers, body });
}

/** Uploads an object in the way of git-lfs. */
export async function upload(
  person: Person,
  repository: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<TestObject> {
  const object = objectOf(content);
  const answer = await batch(person, repository, 'upload', [object]);
  const { actions } = answer.body.objects[0];
  if (actions === undefined) return object;
  const sent = await follow('PUT', actions.upload, content);
  if (sent.status !== 200) throw new Error(`the upload failed: ${sent.status} ${sent.text}`);
  return object;
}

/** Uploads an object and commits its pointer to the repository `engine`. */
export async function addLargeFile(
  owner: Person,
  path: string,
  content: string,
  branch = 'main',
): Promise<void> {
  const repository = `${owner.name}/engine`;
  const pointer = base64(pointerTo(await upload(owner, repository, content)));
  const added = await owner.post(contentsOf(repository, path), { content: pointer, branch });
  if (added.status !== 201) throw new Error(`the pointer was not added: ${added.status} ${added.text}`);
}

/** Downloads an object in the way of git-lfs; undefined if the batch has none. */
export async function download(
  who: Sender,
  repository: string,
  object: TestObject,
): Promise<Answer | undefined> {
  const answer = await batch(who, repository, 'download', [object]);
  const action = answer.body.objects?.[0]?.actions?.download;
  return action === undefined ? undefined : follow('GET', action);
}

/** Returns the files that store an object. */
export function storedFiles(forge: TestForge, { oid }: TestObject): readonly string[] {
  const folder = join(forge.forge.dataFolder, 'objects/lfs', oid.slice(0, 2), oid.slice(2, 4));
  return existsSync(folder)
    ? globSync(`${oid.slice(4)}*`, { cwd: folder }).map((name) => join(folder, name))
    : [];
}
