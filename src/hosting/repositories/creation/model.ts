import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import type { LabelTemplate } from '../../templates/model.ts';
import type { NewRepository, Repository } from '../model.ts';
import type { Pushable } from '../refs/push-rules.ts';

/** A request to create a repository for an owner. */
export interface CreationRequest {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly wanted: NewRepository;
}

/** A valid request whose defaults are filled in. */
export interface CompleteRequest extends CreationRequest {
  readonly wanted: NewRepository & { readonly isPrivate: boolean };
}

/** The state of a repository when it is published. */
export interface InitialState {
  /** Builds the first commit of the default branch; absent: the repository starts empty. */
  readonly commit?: (session: WriteSession) => Promise<Oid>;
  /** Writes rows that refer to the repository, in the transaction that publishes it. */
  readonly rows?: (tx: Tx, id: RepositoryId) => Promise<void>;
  /** absent: none */
  readonly labels?: readonly LabelTemplate[];
  /** absent: the repository is not a fork */
  readonly parent?: Repository;
}

/**
 * A repository that accepts objects and refs, but is hidden from everyone until it is published. Disposal removes it
 * if it was not published.
 */
export interface PendingRepository extends AsyncDisposable {
  readonly repository: Pushable;
  /**
   * @param rows writes rows that refer to the repository, before the events for which others wait until the commit
   * @throws ForgeError `conflict`; `not_found` if the owner is gone
   */
  publish(tx: Tx, rows?: (tx: Tx) => Promise<void>): Promise<void>;
}

/** A repository that is being published. */
export interface CreatedRepository {
  readonly repositoryId: RepositoryId;
  readonly makerId: number;
  readonly owner: PublicAccount;
  /** the repository that this one is a fork of; null: it is not a fork */
  readonly parentId: RepositoryId | null;
  readonly isPrivate: boolean;
  /** labels that it starts with */
  readonly labels: readonly LabelTemplate[];
}
