/** Units of a repository other than code, with their settings. */
export interface RepositoryUnits {
  readonly issues: Issues;
  readonly wiki: Wiki;
  /** null: no pull requests */
  readonly pulls: PullSettings | null;
  readonly hasProjects: boolean;
  readonly hasReleases: boolean;
}

export type Issues =
  | { readonly kind: 'off' }
  | ({ readonly kind: 'built-in' } & TrackerSettings)
  | ({ readonly kind: 'external' } & ExternalTracker);

export interface TrackerSettings {
  readonly tracksTime: boolean;
  readonly onlyContributorsTrackTime: boolean;
  readonly hasDependencies: boolean;
}

export interface ExternalTracker {
  readonly url: string;
  /** address of an issue, with `{user}`, `{repo}` and `{index}`; '' for none */
  readonly format: string;
  readonly style: TrackerStyle;
  /** regular expression that finds issue numbers in text, if the style is `regexp` */
  readonly pattern: string;
}

export type TrackerStyle = 'numeric' | 'alphanumeric' | 'regexp';

export type Wiki =
  | { readonly kind: 'off' }
  | ({ readonly kind: 'built-in' } & WikiSettings)
  | { readonly kind: 'external'; readonly url: string };

export interface WikiSettings {
  readonly branch: string;
  /** every signed-in user may edit it */
  readonly isGloballyEditable: boolean;
}

export interface PullSettings {
  readonly ignoresWhitespaceConflicts: boolean;
  readonly allowsMerge: boolean;
  readonly allowsRebase: boolean;
  readonly allowsRebaseMerge: boolean;
  readonly allowsSquash: boolean;
  readonly allowsFastForwardOnly: boolean;
  readonly allowsManualMerge: boolean;
  readonly detectsManualMerge: boolean;
  readonly allowsRebaseUpdate: boolean;
  readonly deletesBranchAfterMerge: boolean;
  readonly defaultMergeStyle: MergeStyle;
  readonly defaultUpdateStyle: UpdateStyle;
  readonly allowsMaintainerEdit: boolean;
}

export const MERGE_STYLES = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
  'rebase-update-only',
] as const;
type MergeStyle = (typeof MERGE_STYLES)[number];

export const UPDATE_STYLES = ['merge', 'rebase'] as const;
export type UpdateStyle = (typeof UPDATE_STYLES)[number];

export const DEFAULT_TRACKER: TrackerSettings = {
  tracksTime: true,
  onlyContributorsTrackTime: true,
  hasDependencies: true,
};

/** Returns the settings of time tracking and dependencies. Pull requests have the defaults if there are no issues. */
export function trackerSettingsOf({ issues }: RepositoryUnits): TrackerSettings {
  return issues.kind === 'built-in' ? issues : DEFAULT_TRACKER;
}

export const DEFAULT_WIKI: WikiSettings = { branch: 'main', isGloballyEditable: false };

export const DEFAULT_PULLS: PullSettings = {
  ignoresWhitespaceConflicts: false,
  allowsMerge: true,
  allowsRebase: true,
  allowsRebaseMerge: true,
  allowsSquash: true,
  allowsFastForwardOnly: true,
  allowsManualMerge: false,
  detectsManualMerge: false,
  allowsRebaseUpdate: true,
  deletesBranchAfterMerge: false,
  defaultMergeStyle: 'merge',
  defaultUpdateStyle: 'merge',
  allowsMaintainerEdit: false,
};

const OFF = { kind: 'off' } as const;
const DEFAULT_ISSUES: Issues = { kind: 'built-in', ...DEFAULT_TRACKER };
const BUILT_IN_WIKI: Wiki = { kind: 'built-in', ...DEFAULT_WIKI };

/** Units of a new repository. */
export const NEW_UNITS: RepositoryUnits = {
  issues: DEFAULT_ISSUES,
  wiki: BUILT_IN_WIKI,
  pulls: DEFAULT_PULLS,
  hasProjects: true,
  hasReleases: true,
};

/** Units of a new fork: only pull requests, to the parent. Its owner can switch on the others. */
export const FORK_UNITS: RepositoryUnits = {
  issues: OFF,
  wiki: OFF,
  pulls: DEFAULT_PULLS,
  hasProjects: false,
  hasReleases: false,
};

/** The columns of a repository's row that hold its units. */
export interface UnitColumns {
  issues: 'off' | 'built-in' | 'external';
  wiki: 'off' | 'built-in' | 'external';
  has_pulls: number;
  has_projects: number;
  has_releases: number;
  /** JSON of `StoredSettings` */
  unit_settings: string;
}

export const UNIT_COLUMNS = [
  'issues',
  'wiki',
  'has_pulls',
  'has_projects',
  'has_releases',
  'unit_settings',
] as const satisfies readonly (keyof UnitColumns)[];

/** Settings that differ from the defaults. */
interface StoredSettings {
  readonly tracker?: Partial<TrackerSettings>;
  readonly externalTracker?: ExternalTracker;
  readonly wiki?: Partial<WikiSettings>;
  readonly externalWiki?: { readonly url: string };
  readonly pulls?: Partial<PullSettings>;
}

const NOTHING_STORED = '{}';
const NOTHING: StoredSettings = {};

export function unitsOfColumns(row: UnitColumns): RepositoryUnits {
  const stored: StoredSettings =
    row.unit_settings === NOTHING_STORED ? NOTHING : JSON.parse(row.unit_settings);
  return {
    issues: issuesOf(row, stored),
    wiki: wikiOf(row, stored),
    pulls: row.has_pulls === 1 ? pullsOf(stored) : null,
    hasProjects: row.has_projects === 1,
    hasReleases: row.has_releases === 1,
  };
}

// Most repositories have the defaults, which need no copies.

function pullsOf(stored: StoredSettings): PullSettings {
  return stored.pulls === undefined ? DEFAULT_PULLS : { ...DEFAULT_PULLS, ...stored.pulls };
}

function issuesOf(row: UnitColumns, stored: StoredSettings): Issues {
  if (row.issues === 'built-in' && stored.tracker === undefined) return DEFAULT_ISSUES;
  if (row.issues === 'built-in') return { kind: 'built-in', ...DEFAULT_TRACKER, ...stored.tracker };
  if (row.issues === 'external' && stored.externalTracker !== undefined)
    return { kind: 'external', ...stored.externalTracker };
  return OFF;
}

function wikiOf(row: UnitColumns, stored: StoredSettings): Wiki {
  if (row.wiki === 'built-in' && stored.wiki === undefined) return BUILT_IN_WIKI;
  if (row.wiki === 'built-in') return { kind: 'built-in', ...DEFAULT_WIKI, ...stored.wiki };
  if (row.wiki === 'external' && stored.externalWiki !== undefined)
    return { kind: 'external', ...stored.externalWiki };
  return OFF;
}

export function columnsOfUnits(units: RepositoryUnits): UnitColumns {
  return {
    issues: units.issues.kind,
    wiki: units.wiki.kind,
    has_pulls: units.pulls === null ? 0 : 1,
    has_projects: units.hasProjects ? 1 : 0,
    has_releases: units.hasReleases ? 1 : 0,
    unit_settings: JSON.stringify(storedSettingsOf(units)),
  };
}

function storedSettingsOf({ issues, wiki, pulls }: RepositoryUnits): StoredSettings {
  const stored: { -readonly [Key in keyof StoredSettings]: StoredSettings[Key] } = {};
  if (issues.kind === 'built-in') assignDifference(stored, 'tracker', issues, DEFAULT_TRACKER);
  if (issues.kind === 'external') {
    const { kind: _kind, ...tracker } = issues;
    stored.externalTracker = tracker;
  }
  if (wiki.kind === 'built-in') assignDifference(stored, 'wiki', wiki, DEFAULT_WIKI);
  if (wiki.kind === 'external') stored.externalWiki = { url: wiki.url };
  if (pulls !== null) assignDifference(stored, 'pulls', pulls, DEFAULT_PULLS);
  return stored;
}

/** Stores the properties of `settings` that differ from `defaults` under `key`; stores nothing if none differs. */
function assignDifference<Settings extends object>(
  stored: object,
  key: keyof StoredSettings,
  settings: Settings,
  defaults: Settings,
): void {
  const differing = Object.entries(defaults)
    .map(([name]) => name as keyof Settings)
    .filter((name) => settings[name] !== defaults[name])
    .map((name) => [name, settings[name]] as const);
  if (differing.length > 0) Object.assign(stored, { [key]: Object.fromEntries(differing) });
}
