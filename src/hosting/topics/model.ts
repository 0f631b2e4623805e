export interface Topic {
  readonly id: number;
  readonly name: string;
  /** number of repositories with the topic, including hidden ones */
  readonly repositoriesCount: number;
  /** ms */
  readonly createdAt: number;
  /** ms; last time that a repository gained or lost the topic */
  readonly updatedAt: number;
}
