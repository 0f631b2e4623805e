/** What the event of an issue names it by. */
export interface Numbered {
  readonly issueId: number;
  readonly number: number;
  /** absent in events from before there were pull requests */
  readonly isPull?: boolean;
}
