import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../../support/git/git.ts';

export const GENERATE = '/api/v1/repos/ada/kit/generate';

export type Files = Readonly<Record<string, string | Uint8Array>>;

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Creates the template `ada/kit` with these files and the changes of `also`, and returns its working copy. */
export async function template(
  t: TestContext,
  ada: Person,
  options: { files: Files; record?: Record<string, unknown>; also?: (folder: string) => Promise<void> },
): Promise<string> {
  const record = { template: true, description: 'A kit', ...options.record };
  const created = await ada.repository('kit', record);
  const folder = await workingCopy(t, { objectFormat: created.object_format_name });
  await write(folder, options.files);
  await options.also?.(folder);
  await commitAll(folder, 'Begin');
  await git(folder, ['push', '-q', ada.remote('ada/kit'), 'main']);
  return folder;
}

/** Clones a repository as `person` and returns the working copy. */
export async function cloned(t: TestContext, person: Person, path: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', person.remote(path), '.']);
  return folder;
}
