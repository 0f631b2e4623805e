import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** Fields of a milestone that a request can set. */
export interface MilestoneFields {
  readonly title: string;
  readonly description: string;
  /** ms; null: no due date */
  readonly dueAt: number | null;
  readonly isClosed: boolean;
}

/** A goal of a repository, with the issues and pull requests that belong to it. */
export interface Milestone extends MilestoneFields {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** ms; null for an open milestone */
  readonly closedAt: number | null;
  readonly openIssuesCount: number;
  readonly closedIssuesCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MilestoneFilter {
  readonly state: 'open' | 'closed' | 'all';
  /** part of the title, in any case; '' for all */
  readonly title: string;
}

/** Names a milestone: its id, or else its title. */
export type MilestoneKey = string;
