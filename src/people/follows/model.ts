/** A user follows an account. */
export interface Follow {
  readonly followerId: number;
  /** a user or an organization */
  readonly followedId: number;
}
