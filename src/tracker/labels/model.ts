import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Organization } from '../../people/organizations/model.ts';

/** The repository or the organization of labels, as a request names it. */
export type LabelPlace =
  | { readonly kind: 'repository'; readonly path: RepositoryPath }
  | { readonly kind: 'organization'; readonly name: string };

/** The repository or the organization of labels, which was looked up for a viewer. */
export type LabelOwner =
  | { readonly kind: 'repository'; readonly repository: Repository }
  | { readonly kind: 'organization'; readonly organization: Organization };

/** Fields of a label that a request can set. */
export interface LabelFields {
  readonly name: string;
  /** six hex digits in lower case, without `#` */
  readonly color: string;
  readonly description: string;
  /** An issue has at most one of the labels whose names are the same up to the last slash. */
  readonly isExclusive: boolean;
  /** The label stays on its issues, but is no longer offered for others. */
  readonly isArchived: boolean;
}

export interface Label extends LabelFields {
  readonly id: number;
}

export interface OwnedLabel extends Label {
  readonly owner: LabelOwnerName;
}

/** What the address of a label needs of its owner. */
export type LabelOwnerName =
  | {
      readonly kind: 'repository';
      readonly repository: { readonly owner: { readonly name: string }; readonly name: string };
    }
  | { readonly kind: 'organization'; readonly organization: { readonly name: string } };

/** By name in both directions, or by the number of issues. */
export type LabelOrder = 'name' | 'name-reversed' | 'most-issues' | 'least-issues';
