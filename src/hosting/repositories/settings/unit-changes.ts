import type { SiteUnit } from '../site-rules.ts';
import {
  DEFAULT_PULLS,
  DEFAULT_TRACKER,
  DEFAULT_WIKI,
  type ExternalTracker,
  type Issues,
  type PullSettings,
  type RepositoryUnits,
  type TrackerSettings,
  type Wiki,
  type WikiSettings,
} from '../units.ts';
import type { ExternalUrls } from './external-urls.ts';

/** A partial settings change. Undefined fields stay unchanged. */
export type Changed<Settings> = { readonly [Key in keyof Settings]?: Settings[Key] | undefined };

/** A change of the units of a repository. Undefined fields stay unchanged. */
export interface UnitsChange {
  readonly hasIssues: boolean | undefined;
  readonly tracker: Changed<TrackerSettings> | undefined;
  readonly externalTracker: Changed<ExternalTracker> | undefined;
  readonly hasWiki: boolean | undefined;
  readonly wiki: Changed<WikiSettings>;
  readonly externalWikiUrl: string | undefined;
  readonly hasPulls: boolean | undefined;
  readonly pulls: Changed<PullSettings>;
  readonly hasProjects: boolean | undefined;
  readonly hasReleases: boolean | undefined;
}

/** Rules of the site for units. */
interface UnitRules {
  /** units that no request changes */
  readonly disabled: ReadonlySet<SiteUnit>;
  readonly externalUrls: ExternalUrls;
}

const OFF = { kind: 'off' } as const;

/**
 * Computes the units after a change.
 *
 * @throws ForgeError `invalid` for an invalid address or format
 */
export function unitsAfter(units: RepositoryUnits, change: UnitsChange, rules: UnitRules): RepositoryUnits {
  const plain = (unit: SiteUnit, now: boolean, wanted: boolean | undefined) =>
    rules.disabled.has(unit) ? now : (wanted ?? now);
  return {
    issues: issuesAfter(units.issues, change, rules),
    wiki: wikiAfter(units.wiki, change, rules),
    pulls: rules.disabled.has('repo.pulls') ? units.pulls : pullsAfter(units.pulls, change),
    hasProjects: plain('repo.projects', units.hasProjects, change.hasProjects),
    hasReleases: plain('repo.releases', units.hasReleases, change.hasReleases),
  };
}

function issuesAfter(issues: Issues, change: UnitsChange, rules: UnitRules): Issues {
  const { tracker, externalTracker } = change;
  if (change.hasIssues === false) return withoutUnless(issues, rules, 'repo.issues', 'repo.ext_issues');
  // Settings alone do not switch a unit on.
  if (change.hasIssues === undefined && issues.kind === 'off') return issues;
  if (externalTracker !== undefined) {
    if (rules.disabled.has('repo.ext_issues')) return issues;
    return externalTrackerAfter(issues, externalTracker, rules.externalUrls);
  }
  if (rules.disabled.has('repo.issues')) return issues;
  if (change.hasIssues === undefined && (tracker === undefined || issues.kind === 'external')) return issues;
  const before = issues.kind === 'built-in' ? issues : DEFAULT_TRACKER;
  return { kind: 'built-in', ...withChanged(before, tracker ?? {}, DEFAULT_TRACKER) };
}

function externalTrackerAfter(issues: Issues, wanted: Changed<ExternalTracker>, urls: ExternalUrls): Issues {
  const before: ExternalTracker =
    issues.kind === 'external' ? issues : { url: '', format: '', style: 'numeric', pattern: '' };
  const { url, format, style, pattern } = withChanged(before, wanted, before);
  urls.require('ExternalTracker.ExternalTrackerURL', url);
  if (format !== '') urls.requireFormat('ExternalTracker.ExternalTrackerFormat', format);
  return { kind: 'external', url, format, style, pattern };
}

function wikiAfter(wiki: Wiki, change: UnitsChange, rules: UnitRules): Wiki {
  const { externalWikiUrl: url } = change;
  if (change.hasWiki === false) return withoutUnless(wiki, rules, 'repo.wiki', 'repo.ext_wiki');
  if (change.hasWiki === undefined && wiki.kind === 'off') return wiki;
  if (url !== undefined) {
    if (rules.disabled.has('repo.ext_wiki')) return wiki;
    rules.externalUrls.require('ExternalWiki.ExternalWikiURL', url);
    return { kind: 'external', url };
  }
  if (rules.disabled.has('repo.wiki')) return wiki;
  if (change.hasWiki === undefined && wiki.kind === 'external') return wiki;
  const before = wiki.kind === 'built-in' ? wiki : DEFAULT_WIKI;
  return { kind: 'built-in', ...withChanged(before, change.wiki, DEFAULT_WIKI) };
}

/** Switches a unit off, unless the site has disabled its kind: disabled units do not change. */
function withoutUnless<Unit extends Issues | Wiki>(
  unit: Unit,
  { disabled }: UnitRules,
  builtIn: SiteUnit,
  external: SiteUnit,
): Unit | typeof OFF {
  return disabled.has(unit.kind === 'external' ? external : builtIn) ? unit : OFF;
}

function pullsAfter(pulls: PullSettings | null, change: UnitsChange): PullSettings | null {
  if (!(change.hasPulls ?? pulls !== null)) return null;
  return withChanged(pulls ?? DEFAULT_PULLS, change.pulls, DEFAULT_PULLS);
}

/** Returns the settings named in `known`, from `change` or else from `before`. */
function withChanged<Settings extends object>(
  before: Settings,
  change: Changed<Settings>,
  known: Settings,
): Settings {
  const after = { ...known };
  for (const name of Object.keys(known) as (keyof Settings)[]) after[name] = change[name] ?? before[name];
  return after;
}
