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

/** The git repository of a wiki, as a fetch or a push needs it. */
export interface WikiGit {
  readonly id: RepositoryId;
  readonly objectFormat: ObjectFormat;
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
  publish(tx: Tx): Promise<void>;
}
