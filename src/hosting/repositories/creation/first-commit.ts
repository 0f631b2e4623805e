import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import {
  buildCommit,
  type CommitPerson,
  type CommitPlan,
  signatureAt,
} from '../../../git/trees/commit-builder.ts';
import type { Templates } from '../../templates/service.ts';
import type { NewRepository, Start } from '../model.ts';
import type { CreationRequest } from './model.ts';

interface FirstFile {
  readonly name: string;
  readonly text: string;
}

/** Builds the commit without history that a repository starts with. */
export async function buildFirstCommit(
  session: WriteSession,
  content: Pick<CommitPlan, 'tree' | 'edits'>,
  person: CommitPerson,
): Promise<Oid> {
  const author = signatureAt(person, currentTimeMs());
  const message = 'Initial commit\n';
  const { oid } = await buildCommit(session, { ...content, parents: [], author, committer: author, message });
  return oid;
}

/** Returns the edits that add `files` to the root of a tree. */
export function editsToAdd(files: readonly FirstFile[]): CommitPlan['edits'] {
  return files.map(({ name, text }) => ({
    kind: 'put',
    path: name,
    mode: '100644',
    content: Buffer.from(text),
  }));
}

/**
 * Returns the files that a repository starts with: a README, and the `.gitignore` and the license that were asked for.
 *
 * @throws ForgeError `invalid` for an unknown template
 */
export async function firstFiles(
  templates: Templates,
  { owner, wanted }: CreationRequest,
  { gitignores, license }: NonNullable<Start['firstCommit']>,
  author: CommitPerson,
): Promise<readonly FirstFile[]> {
  const facts = {
    year: new Date(currentTimeMs()).getUTCFullYear(),
    owner: owner.name,
    repository: wanted.name,
    email: author.email,
  };
  const files = [
    { name: 'README.md', text: readmeOf(wanted) },
    { name: '.gitignore', text: await templates.gitignore(gitignores) },
    { name: 'LICENSE', text: license === '' ? '' : await templates.license(license, facts) },
  ];
  return files.filter(({ text }) => text !== '');
}

/** As in the reference, the text ends without a newline. */
function readmeOf({ name, description }: Pick<NewRepository, 'name' | 'description'>): string {
  return description === '' ? `# ${name}` : `# ${name}\n\n${description}`;
}
