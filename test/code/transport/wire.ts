import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gitBytes } from '../../support/git/git.ts';
import { authorizationOf, type Credentials, request } from '../../support/http/http.ts';

/**
 * Builds requests of git's protocols that no real client sends, and parses responses that no client shows.
 *
 * @see gitprotocol-pack(5), gitprotocol-common(5)
 */

export const ZERO = '0'.repeat(40);
export const FLUSH = '0000';

export function pkt(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

export interface Command {
  readonly old?: string;
  readonly new?: string;
  readonly ref: string;
}

export interface HandmadePush {
  readonly commands: readonly Command[];
  readonly capabilities?: string;
  readonly shallow?: readonly string[];
  readonly options?: readonly (string | Uint8Array)[];
  readonly pack?: Uint8Array;
}

/** Builds the body of a push. */
export function pushBody(push: HandmadePush): Buffer<ArrayBuffer> {
  const capabilities = push.capabilities ?? 'report-status';
  const lines = push.commands.map((command, index) => {
    const line = `${command.old ?? ZERO} ${command.new ?? ZERO} ${command.ref}`;
    return pkt(index === 0 ? `${line}\0${capabilities}` : line);
  });
  const options = push.options === undefined ? [] : [...push.options.map(pkt), Buffer.from(FLUSH)];
  const shallow = (push.shallow ?? []).map((oid) => pkt(`shallow ${oid}`));
  return Buffer.concat([...shallow, ...lines, Buffer.from(FLUSH), ...options, push.pack ?? Buffer.alloc(0)]);
}

/** Builds a pack without objects. */
export function emptyPack(): Buffer {
  const header = Buffer.from('5041434b0000000200000000', 'hex');
  return Buffer.concat([header, createHash('sha1').update(header).digest()]);
}

/** Packs everything reachable from `revisions`, in the format of `git rev-list`. */
export function packOf(folder: string, revisions: readonly string[]): Promise<Buffer> {
  const input = `${revisions.join('\n')}\n`;
  return gitBytes(folder, ['pack-objects', '--stdout', '--revs', '-q'], { input });
}

export interface GitAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface GitRequest {
  /** anonymous if absent */
  readonly as?: Credentials;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** Sends a request to `${url}/${path}`. A body gets the content type of the path's service. */
export async function sendGit(url: string, path: string, request: GitRequest = {}): Promise<GitAnswer> {
  const service = path.endsWith('git-receive-pack') ? 'receive-pack' : 'upload-pack';
  const headers: Record<string, string> = {
    ...(request.as === undefined ? {} : { authorization: authorizationOf(request.as) }),
    ...(request.body === undefined ? {} : { 'content-type': `application/x-git-${service}-request` }),
    ...request.headers,
  };
  const response = await fetch(`${url}/${path}`, {
    headers,
    redirect: 'manual',
    ...(request.body === undefined ? {} : { method: 'POST', body: request.body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

/**
 * Creates refs with one request and a pack. A git client would start four processes for it, and compare each ref with all
 * others.
 *
 * @param remote with the name and the password or token of who pushes
 * @param refs the object of each ref
 * @param pack has all objects that the repository lacks
 */
export async function createRefs(
  remote: string,
  refs: Readonly<Record<string, string>>,
  pack: Uint8Array,
): Promise<void> {
  const { origin, pathname, username: name, password } = new URL(remote);
  const commands = Object.entries(refs).map(([ref, oid]) => ({ new: oid, ref }));
  const { status, text } = await request('POST', `${origin}${pathname}/git-receive-pack`, {
    as: { name, password },
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    body: pushBody({ commands, pack }),
  });
  assert.equal(status, 200, text);
  const report = pktLines(Buffer.from(text));
  assert.deepEqual(report, ['unpack ok', ...Object.keys(refs).map((ref) => `ok ${ref}`), FLUSH]);
}

/** Yields the packets of a response, and null for a flush. */
export function* packets(bytes: Buffer): Generator<Buffer | null> {
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length) || (length > 0 && length < 4))
      throw new Error(`invalid packet length at byte ${at}`);
    yield length === 0 ? null : bytes.subarray(at + 4, at + length);
    at += Math.max(length, 4);
  }
}

/** Returns the text of each packet of a response without its line end, and `0000` for a flush. */
export function pktLines(bytes: Buffer): string[] {
  return [...packets(bytes)].map((packet) => packet?.toString().replace(/\n$/, '') ?? FLUSH);
}

/** Returns the content of each side band. */
export function sideBands(bytes: Buffer): Record<1 | 2 | 3, Buffer> {
  const bands: Record<1 | 2 | 3, Buffer[]> = { 1: [], 2: [], 3: [] };
  for (const packet of packets(bytes)) {
    const band = packet?.[0];
    if (packet !== null && (band === 1 || band === 2 || band === 3)) bands[band].push(packet.subarray(1));
  }
  return { 1: Buffer.concat(bands[1]), 2: Buffer.concat(bands[2]), 3: Buffer.concat(bands[3]) };
}

/** Returns a body that is sent except for its last `bytes`, which follow after `release`. */
export function heldBack(body: Uint8Array, bytes: number) {
  const { readable: stream, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // These writes fail if the server disconnects, which the test checks in its response.
  const ignore = () => {};
  writer.write(body.subarray(0, -bytes)).catch(ignore);
  const release = () => {
    writer.write(body.subarray(-bytes)).catch(ignore);
    writer.close().catch(ignore);
  };
  return { stream, release };
}
