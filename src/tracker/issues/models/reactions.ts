import type { ShownAccount } from '../../../people/accounts/model.ts';

export interface Reaction {
  /** null: the account is hidden from the viewer */
  readonly author: ShownAccount | null;
  readonly content: string;
  readonly createdAt: number;
}

/** How often a reaction was given to one issue or comment. */
export interface ReactionCount {
  readonly content: string;
  readonly count: number;
  /** whether the viewer is among those who gave it */
  readonly isOwn: boolean;
}

/** The reactions that people can give, as the wire names them. */
export const REACTIONS: readonly string[] = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
];
