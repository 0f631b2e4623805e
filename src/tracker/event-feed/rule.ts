import type { OrganizationAction, PlainAction, RepositoryAction } from '../../api/access/actions.ts';
import type { EventKind } from '../../base/events/model.ts';
import type { KEY } from '../../code/keys/actions.ts';
import type { ACCOUNT } from '../../people/accounts/actions.ts';
import type { EXTERNAL } from '../../people/external/actions.ts';
import type { SECOND_FACTOR } from '../../people/second-factor/actions.ts';
import type { SESSION } from '../../people/sessions/actions.ts';
import type { TOKEN } from '../../people/tokens/actions.ts';
import type { WEBHOOK } from '../webhooks/actions.ts';

/** How a part of a payload is shown. */
export interface ShownPart {
  /** name in the feed; absent: that of the payload */
  readonly as?: string;
  /** The value is the id of an account, or a list of ids. */
  readonly isPerson?: true;
  /** The value is the id of a repository that the viewer must see to see the event. */
  readonly isRepository?: true;
  /** The value is `owner/name` of the repository, without the owner for those who may not see that account. */
  readonly isPath?: true;
}

type Shown = Readonly<Record<string, ShownPart>>;

interface Rule {
  /** parts of the payload that are shown; all others are left out */
  readonly shown: Shown;
  /** fields whose former values are shown; absent: none */
  readonly former?: readonly string[];
  /** part of the payload that names the only account, apart from site administrators, who sees the event; `actor` */
  readonly onlyFor?: string;
}

export interface RepositoryEventRule extends Rule {
  readonly on: 'repository';
  /** A viewer who may do this sees the event. */
  readonly action: RepositoryAction;
  /** unit that must be switched on; `issue`: the one of the issue or pull request; `tracker`: one of both */
  readonly unit?: 'pulls' | 'issue' | 'tracker' | 'releases' | 'wiki';
  /** part of the payload with an account that may hide its activity */
  readonly activityOf?: string;
}

export interface OrganizationEventRule extends Rule {
  readonly on: 'organization';
  readonly action: OrganizationAction;
  /** The viewer must see the repository of the event, too. */
  readonly needsRepository?: true;
}

/** Only the account itself, perhaps a second one, and site administrators see the event. */
export interface AccountEventRule extends Rule {
  readonly on: 'account';
  readonly action:
    | typeof ACCOUNT.readSelf
    | typeof EXTERNAL.list
    | typeof TOKEN.list
    | typeof SESSION.list
    | typeof SECOND_FACTOR.read
    | typeof KEY.read
    | typeof WEBHOOK.readOwn;
  /** part of the payload that names a second account that sees the event */
  readonly alsoFor?: string;
}

/** Only site administrators see the event. */
export interface SiteEventRule extends Rule {
  readonly on: 'site';
  readonly action: PlainAction;
}

/** The former owner of the repository sees the event: the account, or the owners of the organization. */
export interface DeletionEventRule extends Rule {
  readonly on: 'deleted-repository';
}

export type EventRule =
  | RepositoryEventRule
  | OrganizationEventRule
  | AccountEventRule
  | SiteEventRule
  | DeletionEventRule;

export const PERSON = { isPerson: true } as const;
export const ACCOUNT_ID = { accountId: { as: 'account', isPerson: true } } as const;
export const FROM_TO = { from: {}, to: {} } as const;
export const PATHS = { from: { isPath: true }, to: { isPath: true } } as const;

/** Rules, each with the name of its kind of event. */
export type Rules = readonly (readonly [kind: string, rule: EventRule])[];

/** Gives one rule to several kinds of events. */
export function ruled(kinds: readonly EventKind[], rule: EventRule): Rules {
  return kinds.map(({ name }) => [name, rule] as const);
}
