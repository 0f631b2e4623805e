import type { PublicAccount } from '../../accounts/model.ts';
import type { IssuePath } from '../access.ts';
import type { CommentPath } from '../comments/model.ts';

/** What a reaction is on: an issue, or one of its comments. */
export type ReactionPath =
  | { readonly on: 'issue'; readonly path: IssuePath }
  | { readonly on: 'comment'; readonly path: CommentPath };

export interface Reaction {
  /** null: the account is hidden from the viewer */
  readonly author: PublicAccount | null;
  readonly content: string;
  readonly createdAt: number;
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
