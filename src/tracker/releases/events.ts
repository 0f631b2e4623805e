import { defineEvent } from '../../base/events/model.ts';

/** A release at the time of its event. The notes are left out, because they have no bound. */
export interface ReleasePayload {
  readonly releaseId: number;
  readonly tag: string;
  readonly target: string;
  readonly title: string;
  readonly isPrerelease: boolean;
  readonly hidesArchives: boolean;
  readonly authorId: number | null;
  readonly createdAt: number;
  readonly publishedAt: number;
}

export const RELEASE_PUBLISHED = defineEvent<ReleasePayload>('release.published');
/** `changed`: names of fields, or `assets`. With `isDraft`, the release is a draft now. */
export const RELEASE_UPDATED = defineEvent<ReleasePayload & { readonly changed: readonly string[] }>(
  'release.updated',
);
export const RELEASE_DELETED = defineEvent<ReleasePayload>('release.deleted');
/** A draft was created, changed or deleted. Only people who may write releases see drafts. */
export const RELEASE_DRAFT_CHANGED = defineEvent<
  ReleasePayload & { readonly action: 'created' | 'changed' | 'deleted' }
>('release.draft-changed');
