import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import type { TestForge } from '../../support/forge/forge.ts';

export interface Download {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Returns the address of an archive over the API. */
export function archiveOf(repository: string, name: string): string {
  return `/api/v1/repos/${repository}/archive/${name}`;
}

/** Sends a request and returns the response when its headers have arrived. */
export async function begin(
  forge: TestForge,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<IncomingMessage> {
  const sent = request(`${forge.url}${path}`, { agent: false, ...options });
  sent.on('error', () => {});
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

export async function download(
  forge: TestForge,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Download> {
  const response = await begin(forge, path, options);
  const bytes = await buffer(response);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes };
}

/** Runs `tar` on an archive, and returns what it prints. */
export async function tar(args: readonly string[], archive: Buffer): Promise<string> {
  const child = spawn('tar', args, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.end(archive);
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return printed;
}

/** Lists a `.tar.gz` as `TYPE PATH`, with the target of a link; the types are those of `ls`. */
export async function entriesOf(archive: Buffer): Promise<string[]> {
  const listed = await tar(['-tvz', '--numeric-owner'], archive);
  return listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^(.)\S* +\S+ +\d+ +\S+ +\S+ /, '$1 '));
}

/** Waits until no archive is being built or stored. */
export function buildingIn(forge: TestForge): number {
  return forge.forge.running.services.archives.building;
}
