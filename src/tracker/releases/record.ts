import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { actorKindOf } from '../../api/access/viewer.ts';
import type { Tx } from '../../base/database/database.ts';
import { formerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import {
  RELEASE_DELETED,
  RELEASE_DRAFT_CHANGED,
  RELEASE_PUBLISHED,
  RELEASE_UPDATED,
  type ReleasePayload,
} from './events.ts';
import type { ReleaseFields, StoredRelease } from './model.ts';

export function aboutRelease(release: StoredRelease): ReleasePayload {
  const { id, tag, target, title, isPrerelease, hidesArchives, authorId, createdAt, publishedAt } = release;
  return {
    releaseId: id,
    tag,
    target,
    title,
    isPrerelease,
    hidesArchives,
    authorId,
    createdAt,
    publishedAt,
  };
}

interface By {
  readonly tx: Tx;
  readonly actor: Viewer | SignedIn;
}

/** Records the event of a new release or draft. Call it last. */
export async function recordCreation(by: By, release: StoredRelease): Promise<void> {
  if (release.isDraft) await recordDraft(by, release, 'created');
  else
    await insertEvent(by.tx, RELEASE_PUBLISHED, { ...placeOf(by, release), payload: aboutRelease(release) });
}

/** Records what an edit has changed. Call it last. */
export async function recordEdit(by: By, before: StoredRelease, after: StoredRelease): Promise<void> {
  if (after.isDraft && before.isDraft) return recordDraft(by, after, 'changed');
  if (before.isDraft) return recordCreation(by, after);
  if (after.isDraft) {
    // Who reads releases must not learn what the draft says now.
    await recordUpdate(by, before, { changed: ['isDraft'], former: { isDraft: false } });
    return recordDraft(by, after, 'changed');
  }
  const changed = changedFields(before, after);
  const { body: _, ...bounded } = before;
  await recordUpdate(by, after, { changed, former: formerValues(bounded, changed) });
}

/** Records that the assets of a release have changed. Call it last. */
export async function recordAssets(by: By, release: StoredRelease): Promise<void> {
  if (release.isDraft) await recordDraft(by, release, 'changed');
  else await recordUpdate(by, release, { changed: ['assets'] });
}

/** Call it last. */
export async function recordDeletion(by: By, release: StoredRelease): Promise<void> {
  if (release.isDraft) await recordDraft(by, release, 'deleted');
  else await insertEvent(by.tx, RELEASE_DELETED, { ...placeOf(by, release), payload: aboutRelease(release) });
}

async function recordUpdate(
  by: By,
  release: StoredRelease,
  { changed, former }: { changed: readonly string[]; former?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const payload = { ...aboutRelease(release), changed };
  await insertEvent(by.tx, RELEASE_UPDATED, {
    ...placeOf(by, release),
    payload,
    ...(former === undefined ? {} : { former }),
  });
}

async function recordDraft(
  by: By,
  release: StoredRelease,
  action: 'created' | 'changed' | 'deleted',
): Promise<void> {
  const payload = { ...aboutRelease(release), action };
  await insertEvent(by.tx, RELEASE_DRAFT_CHANGED, { ...placeOf(by, release), payload });
}

function placeOf({ actor }: By, { repositoryId }: StoredRelease) {
  return { actorId: actor.accountId, actorKind: actorKindOf(actor), repositoryId };
}

const FIELDS = ['tag', 'target', 'title', 'body', 'isDraft', 'isPrerelease', 'hidesArchives'] as const;

/** Returns the names of the fields that differ. */
export function changedFields(before: ReleaseFields, after: ReleaseFields): readonly string[] {
  return FIELDS.filter((field) => before[field] !== after[field]);
}
