import type { RepositoryId } from '../git/model.ts';

/** Who is to have a repository. */
export interface TransferWish {
  /** name of a user or an organization */
  readonly newOwner: string;
  /** teams of the organization, that get the repository with it */
  readonly teamIds: readonly number[];
}

/** That somebody was asked, as a row has it. */
export interface TransferRequest {
  readonly repositoryId: RepositoryId;
  readonly doerId: number;
  readonly recipientId: number;
  readonly teamIds: readonly number[];
}
