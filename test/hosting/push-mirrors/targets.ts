import type { TestContext } from 'node:test';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import { type Backend, type BackendOptions, startBackend } from '../mirrors/backend.ts';
import { synced } from '../mirrors/sync.ts';

export const PUSH_MIRRORS = '/api/v1/repos/ada/engine/push_mirrors';
export const SYNC = `${PUSH_MIRRORS}-sync`;

/** Starts a server with git's own http-backend and one empty repository, which takes pushes. */
export function startTarget(t: TestContext, options: BackendOptions = {}): Promise<Backend> {
  return startBackend(t, { ...options, settings: { 'http.receivepack': 'true', ...options.settings } });
}

/** Waits until no update of a push mirror is waiting or running. */
export function pushed(forge: TestForge): Promise<void> {
  return synced(forge, 'push-mirrors.sync');
}

/** Adds a push mirror to `ada/engine` that is updated only on request, unless `options` say more. */
export async function addMirror(
  ada: Person,
  url: string,
  options: Record<string, unknown> = {},
): Promise<Answer['body']> {
  const added = await ada.post(PUSH_MIRRORS, { remote_address: url, interval: '0', ...options });
  if (added.status !== 200) throw new Error(`cannot add a push mirror: ${added.status} ${added.text}`);
  return added.body;
}

/** Updates all push mirrors of `ada/engine`. @returns why the last update of the first one failed */
export async function update(forge: TestForge, ada: Person): Promise<string> {
  const asked = await ada.post(SYNC);
  if (asked.status !== 200) throw new Error(`cannot update: ${asked.status} ${asked.text}`);
  await pushed(forge);
  return (await ada.get(PUSH_MIRRORS)).body[0].last_error;
}
