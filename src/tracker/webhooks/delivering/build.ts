import { undefinedIf } from '../../../base/core/failure.ts';
import { isPlainLine } from '../../../base/core/text/text.ts';
import { treePathProblem } from '../../../git/format/tree-paths.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { clip } from '../chats/message.ts';
import type { EventName } from '../event-names.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { DeliveringHook, Payload } from '../model.ts';
import type { PayloadServices } from '../payloads/model.ts';

/** @see https://man.sr.ht/builds.sr.ht/graphql.md */
const SUBMIT = `mutation (
  $manifest: String!, $tags: [String!], $note: String!, $secrets: Boolean, $execute: Boolean, $visibility: Visibility
) {
  submit(
    manifest: $manifest, tags: $tags, note: $note, secrets: $secrets, execute: $execute, visibility: $visibility
  ) { id }
}`;

interface PushFacts {
  readonly ref?: string;
  readonly after?: string;
  readonly repository?: { readonly id?: number; readonly name?: string };
  readonly head_commit?: { readonly url?: string; readonly message?: string } | null;
}

/**
 * Makes the request for a build of SourceHut from the payload of a push: the manifest is a file of the commit.
 *
 * @returns undefined for other events, and if the commit has no such file
 * @throws ForgeError `busy`
 */
export async function buildOf(
  { git }: Pick<PayloadServices, 'git'>,
  { config }: Pick<DeliveringHook, 'config'>,
  { name, payload }: { readonly name: EventName; readonly payload: Payload },
): Promise<Payload | undefined> {
  const { ref = '', after = '', repository, head_commit: commit } = payload as PushFacts;
  if (name !== 'push' || repository?.id === undefined || commit === undefined || commit === null)
    return undefined;
  const snapshot = await git.refs.open(repository.id);
  const path = (config.manifest_path ?? '').replace(/^\/+/, '');
  if (treePathProblem(path) !== undefined) return undefined;
  const manifest = await readManifest(snapshot.objects, after, path).catch(
    undefinedIf('not_found', 'too_large'),
  );
  if (manifest === undefined) return undefined;
  const branch = ref.replace(/^refs\/(?:heads|tags)\//, '');
  const [title = ''] = (commit.message ?? '').split('\n');
  return {
    query: SUBMIT,
    variables: {
      manifest,
      tags: [repository.name ?? '', ...branch.split('/')].filter(isTag),
      // Their Markdown makes links only of this form.
      note: `[${after.slice(0, 10)}](${commit.url}) ${clip(title, WEBHOOK_LIMITS.messageTitleCharsMax)}`,
      secrets: config.secrets === 'true',
      execute: true,
      visibility: visibilityOf(config.visibility),
    },
  };
}

async function readManifest(
  objects: Parameters<typeof findEntry>[0],
  commit: string,
  path: string,
): Promise<string | undefined> {
  const oid = await objects.peelToCommit(commit);
  if (oid === undefined) return undefined;
  const entry = await findEntry(objects, (await objects.readCommit(oid)).tree, path);
  if (entry === undefined || !entry.mode.startsWith('100')) return undefined;
  const bytes = await objects.readBlob(entry.oid, { blobBytesMax: WEBHOOK_LIMITS.manifestBytesMax });
  return Buffer.from(bytes).toString('utf8');
}

function isTag(text: string): boolean {
  return isPlainLine(text) && /^[a-z0-9_.-]+$/i.test(text);
}

function visibilityOf(text: string | undefined): string {
  return text === 'PUBLIC' || text === 'UNLISTED' ? text : 'PRIVATE';
}
