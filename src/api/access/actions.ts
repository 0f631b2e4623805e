import type { Level, Unit } from './levels.ts';
import type { Scope } from './scopes.ts';
import type { OrganizationRank } from './standing.ts';

interface Rule {
  /** scopes that a token must have, all of them */
  readonly scopes: readonly Scope[];
  /** A token for notes only may do it, too. */
  readonly forNotes?: true;
  /** A browser may do it only for some minutes after its user has proved who they are: it changes credentials. */
  readonly needsProof?: true;
  /** message for a viewer who is denied; absent: `whyDenied` in `policy.ts` supplies one */
  readonly why?: string;
}

/** An action that needs no lookup. */
interface PlainRule extends Rule {
  /** `open`: everyone may. `self`: the viewer must be signed in. `site`: only a site administrator may. */
  readonly on: 'open' | 'self' | 'site';
}

interface RepositoryRule extends Rule {
  readonly on: 'repository';
  readonly level: Level;
  /** level that the settings of the repository may demand instead, which the service checks */
  readonly levelBySettings?: Level;
  /** unit on which the level is needed, or several of which one suffices; absent: the repository as a whole */
  readonly unit?: Unit | readonly Unit[];
  /** The viewer must be signed in, even if an anonymous viewer holds the level. */
  readonly signedIn?: true;
  /** A viewer whom the owner has blocked may do it, although it changes something: something of the viewer's own. */
  readonly whenBlocked?: true;
  /** A token also needs this scope for the kind of the repository's owner, for example `write:organization`. */
  readonly ownerScope?: 'read' | 'write';
  /** message for a viewer who sees the repository but may not read its code: `forbidden`, with the reason `code` */
  readonly whyWithoutCode?: string;
}

interface OrganizationRule extends Rule {
  readonly on: 'organization';
  readonly rank: OrganizationRank;
}

/** Teams are hidden from viewers who are not members of the organization. */
interface TeamRule extends Rule {
  readonly on: 'team';
  /** `organization`: members of the organization may. `team`: members of the team may. Owners always may. */
  readonly within: 'organization' | 'team' | 'owners';
}

interface Named {
  /** as docs/access-matrix.md prints it, for example `repository.list-teams` */
  readonly name: string;
}

type ActionRule = PlainRule | RepositoryRule | OrganizationRule | TeamRule;
export type PlainAction = PlainRule & Named;
export type RepositoryAction = RepositoryRule & Named;
export type OrganizationAction = OrganizationRule & Named;
export type TeamAction = TeamRule & Named;
/** Something that a viewer may ask for, and the rights that it requires. */
export type Action = PlainAction | RepositoryAction | OrganizationAction | TeamAction;

type RuleKey = keyof PlainRule | keyof RepositoryRule | keyof OrganizationRule | keyof TeamRule;

/** Rejects keys that no rule has, which a type parameter would otherwise accept. */
type WithoutOtherKeys<GivenRule> = { readonly [Key in Exclude<keyof GivenRule, RuleKey>]: never };

const defined = new Map<string, Action>();

/**
 * Defines actions of a feature, under the same keys. Every route states one of them, as `config: { action }`.
 *
 * @param noun first part of the actions' names: `listTeams` of `repository` is named `repository.list-teams`
 * @throws Error if another action has the same name
 */
export function defineActions<const Rules extends Readonly<Record<string, ActionRule>>>(
  noun: string,
  rules: Rules & { readonly [Key in keyof Rules]: WithoutOtherKeys<Rules[Key]> },
): { readonly [Key in keyof Rules]: Rules[Key] & Named } {
  const actions = Object.entries<ActionRule>(rules).map(([key, rule]) => {
    const action = { ...rule, name: `${noun}.${withHyphens(key)}` };
    if (defined.has(action.name)) throw new Error(`the action ${action.name} is defined twice`);
    defined.set(action.name, action);
    return [key, action] as const;
  });
  return Object.fromEntries(actions) as unknown as { readonly [Key in keyof Rules]: Rules[Key] & Named };
}

function withHyphens(camelCase: string): string {
  return camelCase.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Whether `value` came from `defineActions`. */
export function isDefinedAction(value: Action): boolean {
  return defined.get(value.name) === value;
}

/** Actions on the server itself, which several features offer. */
export const SERVER = defineActions('server', {
  describe: { on: 'open', scopes: [], forNotes: true },
  /** Settings may allow it to more callers. */
  readMetrics: { on: 'site', scopes: ['read:admin'] },
});
