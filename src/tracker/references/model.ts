/** What a closing or reopening word in front of a reference asks for. */
export type Keyword = 'closes' | 'reopens';

/** A repository by its path, as the text has it. */
export interface NamedRepository {
  readonly owner: string;
  readonly name: string;
}

/** A reference to an issue or a pull request, which share their numbers. */
export interface IssueReference {
  /** absent: the repository that the text belongs to */
  readonly repository?: NamedRepository;
  /** a positive safe integer */
  readonly number: number;
  /** `!` usually means a pull request. It matters only with an external tracker, which has the issues of `#` */
  readonly sign: '#' | '!';
  /** the word before the reference */
  readonly keyword?: Keyword;
  /** seconds of work that the text reports for the issue, as in `fixes #3 @1h30m` */
  readonly spentSeconds?: number;
}

/** A reference to a commit. */
export interface CommitReference {
  /** absent: the repository that the text belongs to */
  readonly repository?: NamedRepository;
  /** 7 to 64 hex digits in lower case: a whole id or its beginning */
  readonly id: string;
}

interface TeamMention {
  readonly organization: string;
  readonly team: string;
}

/**
 * What a text refers to. Nothing here has been looked up: names may belong to no account, and numbers to no issue. Each
 * thing is in its list once, in the order of the text.
 */
export interface References {
  /** names of accounts, without `@` */
  readonly mentions: readonly string[];
  readonly teams: readonly TeamMention[];
  readonly issues: readonly IssueReference[];
  readonly commits: readonly CommitReference[];
}

/** A reference, and where it is in the text. */
export type Found = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'team'; readonly mention: TeamMention }
  | { readonly kind: 'issue'; readonly issue: IssueReference }
  | { readonly kind: 'commit'; readonly commit: CommitReference }
);

export interface ReferenceOptions {
  /** the address at which users reach the server: full URLs below it are references, too */
  readonly baseUrl: string;
}
