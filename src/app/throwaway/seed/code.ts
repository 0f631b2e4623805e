import type { SeedApi } from './api.ts';
import type { SeedCommit, SeedFiles, SeedRepository } from './model.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** A repository that exists. */
export interface Target {
  readonly place: string;
  /** `/repos/owner/name` */
  readonly path: string;
  /** who owns it, or the owner of its organization; absent: the administrator */
  readonly as: string | undefined;
  readonly defaultBranch: string;
  readonly identityOf: (place: string, name: string) => Identity;
}

const FIRST_MESSAGE = 'Add files';

/** Makes the commits, then the branches and the tags. */
export async function makeHistory(api: SeedApi, target: Target, seed: SeedRepository): Promise<void> {
  const { files, commits = [], branches = {}, tags = {} } = seed;
  const { place, path, as } = target;
  const known = new Set<string>();
  if (files !== undefined)
    await makeCommit(api, { ...target, place: `${place}.files` }, known, { files, message: FIRST_MESSAGE });
  for (const [at, commit] of commits.entries())
    await makeCommit(api, { ...target, place: `${place}.commits[${at}]` }, known, commit);
  for (const [name, from] of Object.entries(branches))
    await api.sendPost({ place: `${place}.branches.${name}`, as }, `${path}/branches`, {
      new_branch_name: name,
      old_ref_name: from,
    });
  for (const [name, tag] of Object.entries(tags)) {
    const fields = typeof tag === 'string' ? { target: tag } : tag;
    await api.sendPost({ place: `${place}.tags.${name}`, as }, `${path}/tags`, { tag_name: name, ...fields });
  }
}

/** @param known branches that exist, to which this adds the branch of the commit */
async function makeCommit(
  api: SeedApi,
  { place, path, as, defaultBranch, identityOf }: Target,
  known: Set<string>,
  { files, message, author, date, branch = defaultBranch, from = defaultBranch }: SeedCommit,
): Promise<void> {
  const isNew = !known.has(branch) && known.size > 0;
  const by = author === undefined ? undefined : identityOf(`${place}.author`, author);
  const start = isNew ? from : branch;
  await api.sendPost({ place, as }, `${path}/contents`, {
    branch: start,
    ...(isNew ? { new_branch: branch } : {}),
    files: await changesOf(api, { place, path, as }, files, start),
    ...(message === undefined ? {} : { message }),
    ...(by === undefined ? {} : { author: by, committer: by }),
    ...(date === undefined ? {} : { dates: { author: date, committer: date } }),
  });
  known.add(branch);
}

async function changesOf(
  api: SeedApi,
  { place, path, as }: Pick<Target, 'place' | 'path' | 'as'>,
  files: SeedFiles,
  ref: string,
): Promise<readonly object[]> {
  const changes: object[] = [];
  for (const [name, content] of Object.entries(files)) {
    if (content === null) {
      const file = `${path}/contents/${name.split('/').map(encodeURIComponent).join('/')}`;
      const of = { place: `${place}.files.${name}`, as };
      const { sha } = await api.sendGet(of, `${file}?ref=${encodeURIComponent(ref)}`);
      changes.push({ operation: 'delete', path: name, sha });
    } else {
      const base64 = typeof content === 'string' ? Buffer.from(content).toString('base64') : content.base64;
      changes.push({ operation: 'upload', path: name, content: base64 });
    }
  }
  return changes;
}
