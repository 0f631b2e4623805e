import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** The requested new owner of a repository. */
export interface TransferOptions {
  /** name of a user or an organization */
  readonly newOwner: string;
  /** ids of teams of the new owner that also get the repository */
  readonly teamIds: readonly number[];
}

/** A pending transfer, as stored in a row. */
export interface TransferRequest {
  readonly repositoryId: RepositoryId;
  /** account that started the transfer */
  readonly senderId: number;
  readonly recipientId: number;
  readonly teamIds: readonly number[];
  /** whether an owner of the organization that has the repository must agree first */
  readonly waitsForOwner: boolean;
}
