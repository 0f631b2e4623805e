import type { TestContext } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import type { Answer } from '../../support/http/http.ts';
import { contentsOf } from './files.ts';

/** URL of a file in ada's repository `engine`. */
export const file = (path: string) => contentsOf('ada/engine', path);

export function statusAndMessage(answer: Answer): [status: number, message: string] {
  return [answer.status, answer.body?.message];
}

/** Returns one line for each commit of a branch of `engine`, newest first, as git reads them. */
export async function historyOf(
  t: TestContext,
  ada: Person,
  format: string,
  branch = 'main',
): Promise<readonly string[]> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--bare', ada.remote('ada/engine'), '.']);
  return (await git(folder, ['log', `--format=${format}`, branch])).split('\n');
}
