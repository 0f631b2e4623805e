import assert from 'node:assert/strict';
import { keysOf } from '../../../storage/objects.ts';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import type { Answer, SendOptions } from '../../../support/http/http.ts';
import type { Wire } from '../tracker.ts';

export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The body of a form with a file, and its type. */
export async function formOf(
  content: Uint8Array<ArrayBuffer> | string,
  name = 'photo.png',
  field = 'attachment',
): Promise<SendOptions> {
  const form = new FormData();
  form.append('comment', 'ignored');
  form.append(field, new Blob([content]), name);
  const encoded = new Response(form);
  return {
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  };
}

/** Uploads a file to the address of a list of attachments. */
export async function upload(
  who: Person,
  url: string,
  content: Uint8Array<ArrayBuffer> | string = PICTURE,
  name?: string,
): Promise<Answer> {
  return who.send('POST', url, await formOf(content, name));
}

/** Uploads a file and returns its record. */
export async function attach(...uploaded: Parameters<typeof upload>): Promise<Wire> {
  const answer = await upload(...uploaded);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Returns the path of a file at this server. */
export function pathOf({ browser_download_url: url }: Wire): string {
  return new URL(url).pathname;
}

/** Deletes the files that have lost their issues. @returns the keys of the others */
export async function collected({ forge }: TestForge, aheadMs = 0): Promise<readonly string[]> {
  const { services, engines } = forge.running;
  await services.attachmentFiles.collect({ signal: new AbortController().signal, aheadMs });
  return keysOf(engines.objects, 'attachments/');
}
