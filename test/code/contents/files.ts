import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';

export const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

/** URL of a file's contents, with each segment of the path encoded as clients encode it. */
export function contentsOf(repository: string, path: string): string {
  return `/api/v1/repos/${repository}/contents/${encodedPath(path)}`;
}

export function rawOf(repository: string, path: string): string {
  return `/api/v1/repos/${repository}/raw/${encodedPath(path)}`;
}

export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/**
 * Creates a repository, pushes these files to it in one commit, and returns the working copy.
 *
 * @param options.compression of git in the working copy: 0 saves time for random bytes, which do not get smaller
 */
export async function pushedRepository(
  t: TestContext,
  person: Person,
  name: string,
  files: Files,
  options: { compression?: number } = {},
): Promise<{ folder: string; commit: string; push: (...refs: string[]) => Promise<string> }> {
  await person.repository(name);
  const folder = await workingCopy(t);
  if (options.compression !== undefined)
    await git(folder, ['config', 'core.compression', `${options.compression}`]);
  await writeFiles(folder, files);
  const commit = await commitAll(folder, 'Begin');
  const push = (...refs: string[]) =>
    git(folder, ['push', '-q', person.remote(`${person.name}/${name}`), ...refs]);
  await push('main');
  return { folder, commit, push };
}
