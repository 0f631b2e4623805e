import type { Tx } from '../../base/database/database.ts';
import type { ObjectFormat } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PermittedRepository } from '../repositories/model.ts';
import type { Pushable } from '../repositories/refs/push-rules.ts';
import type { WikiSettings } from '../repositories/units.ts';

/** The built-in wiki of a repository, which was looked up and authorized for a viewer. */
export interface Wiki {
  readonly permitted: PermittedRepository;
  readonly settings: WikiSettings;
  /** of its git repository; null: it has no page yet */
  readonly id: RepositoryId | null;
}

/** What the git repository of a new wiki is like. */
export interface WikiForm {
  readonly objectFormat: ObjectFormat;
  /** to which HEAD points */
  readonly branch: string;
}

/** A git repository that becomes the wiki of a repository with its first push, or is removed. */
export interface PendingWiki extends AsyncDisposable {
  /** with the id of the git repository of the wiki */
  readonly pushable: Pushable;
  /**
   * Gives it to the repository, in the transaction that moves its first refs.
   *
   * @throws WikiAppearedError, ForgeError `not_found`
   */
  readonly publish: (tx: Tx) => Promise<void>;
}

/** The git repository of a wiki that is being copied. Disposal removes it unless a repository has adopted it. */
export interface CopiedWiki extends AsyncDisposable {
  /** for its pushes until then */
  readonly pushable: Pushable;
  /** Gives it to a repository, in the transaction that publishes the repository. */
  adopt(tx: Tx, repositoryId: RepositoryId): Promise<void>;
}
