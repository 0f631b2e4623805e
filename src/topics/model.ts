export interface Topic {
  readonly id: number;
  readonly name: string;
  /** that have it, however hidden */
  readonly repositoriesCount: number;
  /** ms */
  readonly createdAt: number;
  /** ms; when a repository last got it or lost it */
  readonly updatedAt: number;
}
