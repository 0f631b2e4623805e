/** A user whom an account has blocked. */
export interface BlockedUser {
  readonly accountId: number;
  /** ms */
  readonly createdAt: number;
}

/** A block that takes effect. Listeners end what connects the two accounts. */
export interface NewBlock {
  /** a user or an organization */
  readonly blockerId: number;
  /** the blocked user */
  readonly accountId: number;
  readonly actorId: number;
}
