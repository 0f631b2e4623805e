import type { Forge, ForgeOptions } from '../../../testing/model.ts';
import { startForge } from '../../../testing/published.ts';
import { afterTest, type Cleanup } from '../../support/after-test.ts';
import { type Answer, request, type SendOptions } from '../../support/http/http.ts';

export type Send = (method: string, path: string, options?: SendOptions) => Promise<Answer>;

export interface World {
  readonly forge: Forge;
  /** Sends a request as the administrator, unless the options name another user. */
  readonly send: Send;
}

/** A repository with a file, a second branch, an issue and a user with a token. */
export const SMALL = {
  users: [{ name: 'ada', tokens: [{ name: 'ci' }] }, { name: 'grace' }],
  repositories: [
    {
      name: 'ada/engine',
      collaborators: { grace: 'write' },
      files: { 'README.md': '# Engine\n' },
      commits: [{ branch: 'next', files: { 'a.txt': 'a\n' } }],
      issues: [{ title: 'It is slow', assignees: ['grace'] }],
    },
  ],
} as const;

/** Starts a throwaway server in this process. */
export async function startWorld(t: Cleanup, options: ForgeOptions = { seed: SMALL }): Promise<World> {
  const forge = await startForge(options);
  afterTest(t, () => forge.stop());
  const send: Send = (method, path, sent = {}) =>
    request(method, `${forge.url}${path}`, { as: { token: forge.admin.token }, ...sent });
  return { forge, send };
}

/** Returns the token of ada. */
export function tokenOf({ users }: Forge): string {
  return users.ada?.tokens.ci ?? '';
}
