import { FORK_UNITS, NEW_UNITS, type RepositoryUnits } from '../settings/units.ts';

/** Units that an operator can switch off for the whole site, as the wire names them. */
export const SITE_UNITS = [
  'repo.issues',
  'repo.ext_issues',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
  'repo.ext_wiki',
  'repo.projects',
  'repo.packages',
  'repo.actions',
] as const;
export type SiteUnit = (typeof SITE_UNITS)[number];

/** What an operator has decided for all repositories. */
export interface SiteRules {
  /** what is made is private, and only site administrators may make it public */
  readonly forcesPrivate: boolean;
  readonly disabledUnits: ReadonlySet<SiteUnit>;
  /** a push to a repository that is not there makes it */
  readonly pushesCreate: boolean;
}

export const NO_SITE_RULES: SiteRules = {
  forcesPrivate: false,
  disabledUnits: new Set(),
  pushesCreate: false,
};

/** What a repository keeps of `units` where some are switched off for the whole site. */
export function withoutDisabled(units: RepositoryUnits, disabled: ReadonlySet<SiteUnit>): RepositoryUnits {
  const { issues, wiki } = units;
  const hidesIssues =
    issues.kind !== 'off' && disabled.has(issues.kind === 'external' ? 'repo.ext_issues' : 'repo.issues');
  const hidesWiki =
    wiki.kind !== 'off' && disabled.has(wiki.kind === 'external' ? 'repo.ext_wiki' : 'repo.wiki');
  return {
    issues: hidesIssues ? { kind: 'off' } : issues,
    wiki: hidesWiki ? { kind: 'off' } : wiki,
    pulls: disabled.has('repo.pulls') ? null : units.pulls,
    hasProjects: units.hasProjects && !disabled.has('repo.projects'),
    hasReleases: units.hasReleases && !disabled.has('repo.releases'),
    hasPackages: units.hasPackages && !disabled.has('repo.packages'),
    hasActions: units.hasActions && !disabled.has('repo.actions'),
  };
}

/** What a new repository has on this site. */
export function unitsOfNew(rules: SiteRules): RepositoryUnits {
  return withoutDisabled(NEW_UNITS, rules.disabledUnits);
}

/** What a new fork has on this site. */
export function unitsOfFork(rules: SiteRules): RepositoryUnits {
  return withoutDisabled(FORK_UNITS, rules.disabledUnits);
}
