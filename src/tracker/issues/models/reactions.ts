import type { ShownAccount } from '../../../people/accounts/model.ts';

export interface Reaction {
  /** null: the account is hidden from the viewer */
  readonly author: ShownAccount | null;
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
