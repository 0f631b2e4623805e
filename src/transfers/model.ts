import type { RepositoryId } from '../git/model.ts';

/** The requested new owner of a repository. */
export interface TransferWish {
  /** name of a user or an organization */
  readonly newOwner: string;
  /** ids of teams of the new owner that get the repository, too */
  readonly teamIds: readonly number[];
}

/** A pending transfer, as stored in a row. */
export interface TransferRequest {
  readonly repositoryId: RepositoryId;
  readonly doerId: number;
  readonly recipientId: number;
  readonly teamIds: readonly number[];
}
