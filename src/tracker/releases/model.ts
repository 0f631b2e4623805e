import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';
import type { Asset } from './models/assets.ts';

/** What people say about a release. */
export interface ReleaseFields {
  /** short name; a draft may have a tag that does not exist */
  readonly tag: string;
  /** branch, tag or commit at which a missing tag is created */
  readonly target: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  /** records have no addresses of archives */
  readonly hidesArchives: boolean;
}

export interface StoredRelease extends ReleaseFields {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** null: the account was deleted, or the release was imported */
  readonly authorId: number | null;
  readonly zipDownloads: number;
  readonly tarGzDownloads: number;
  readonly createdAt: number;
  /** of a draft: when it was created, or became a draft again */
  readonly publishedAt: number;
}

/** A release as a viewer sees it. */
export interface Release extends StoredRelease {
  readonly repository: Repository;
  /** null: deleted, or hidden from the viewer */
  readonly author: ShownAccount | null;
  readonly assets: readonly Asset[];
}

/** How one request names a release. */
export type ReleaseKey = { readonly id: number } | { readonly tag: string };

/** Which releases a list has. `undefined`: does not matter. */
export interface ReleaseFilter {
  readonly isDraft: boolean | undefined;
  readonly isPrerelease: boolean | undefined;
  /** in the title or the tag, in any case; '' for none */
  readonly text: string;
}

/** Full name of the ref of a tag. */
export function tagRef(tag: string): string {
  return `refs/tags/${tag}`;
}
