import { FORK_UNITS, NEW_UNITS, type RepositoryUnits } from './units.ts';

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

/** Settings of the operator for all repositories. */
export interface SiteRules {
  /** New repositories are private, and only site administrators may make them public. */
  readonly forcesPrivate: boolean;
  readonly disabledUnits: ReadonlySet<SiteUnit>;
  /** A push to a missing repository creates it. */
  readonly pushesCreate: boolean;
  /** Site administrators may flag repositories. */
  readonly allowsFlags: boolean;
}

export const NO_SITE_RULES: SiteRules = {
  forcesPrivate: false,
  disabledUnits: new Set(),
  pushesCreate: false,
  allowsFlags: false,
};

/** Returns `units` without those that are disabled for the whole site. */
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
  };
}

/** Units of a new repository on this site. */
export function unitsOfNew(rules: SiteRules): RepositoryUnits {
  return withoutDisabled(NEW_UNITS, rules.disabledUnits);
}

/** Units of a new fork on this site. */
export function unitsOfFork(rules: SiteRules): RepositoryUnits {
  return withoutDisabled(FORK_UNITS, rules.disabledUnits);
}
