import type { Static } from 'typebox';
import { invalid } from '../../../base/core/failure.ts';
import { isPlainLine, isStorableText } from '../../../base/core/text/text.ts';
import { formatDuration, parseDuration } from '../../../base/core/time/durations.ts';
import { branchNameProblem } from '../../../git/format/ref-names.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import type { EditRepositoryBody } from '../schema.ts';
import { MERGE_STYLES, type TrackerStyle, UPDATE_STYLES } from '../units.ts';
import type { MirrorChange, RepositoryChange } from './edit.ts';
import type { UnitsChange } from './unit-changes.ts';

type Body = Static<typeof EditRepositoryBody>;

const TRACKER_STYLES: readonly TrackerStyle[] = ['numeric', 'alphanumeric', 'regexp'];

/**
 * Parses the body of an edit.
 *
 * @throws ForgeError `invalid`
 */
export function repositoryChangeOf(body: Body): RepositoryChange {
  const { description, website } = body;
  if (description !== undefined && !isStorableText(description))
    throw invalid('[Description]: must be text without NUL');
  if (website !== undefined) requireWebsite(website);
  return {
    name: body.name,
    description,
    website,
    isPrivate: body.private,
    isTemplate: body.template,
    defaultBranch: body.default_branch,
    isArchived: body.archived,
    mirror: mirrorChangeOf(body),
    units: unitsChangeOf(body),
  };
}

function requireWebsite(website: string): void {
  if (!isWebsite(website))
    throw invalid('[Website]: must be one line, and if it is an address, an http or https one');
}

/** Accepts any line. Unlike an account's website, it need not be an address; but an address must be http(s). */
export function isWebsite(website: string): boolean {
  const url = URL.canParse(website) ? new URL(website) : undefined;
  // Pages link to it, so it must not be an address that a browser would run as code.
  const runs = url !== undefined && !/^https?:$/.test(url.protocol);
  return !runs && isPlainLine(website);
}

/** Parses the settings of a mirror. Accepts '', the interval in records of other repositories. */
function mirrorChangeOf({ mirror_interval: interval, enable_prune: prunes }: Body): MirrorChange | undefined {
  const intervalMs = interval === undefined || interval === '' ? undefined : mirrorIntervalOf(interval);
  return intervalMs === undefined && prunes === undefined ? undefined : { intervalMs, prunes };
}

/**
 * Parses the time between updates of a mirror.
 *
 * @returns ms; 0 for updates on request only
 * @throws ForgeError `invalid`
 */
export function mirrorIntervalOf(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw invalid('[MirrorInterval]: must be a duration, such as 8h0m0s');
  if (ms === 0) return 0;
  const { mirrorIntervalMsMin: min, mirrorIntervalMsMax: max } = REPOSITORY_LIMITS;
  if (ms >= min && ms <= max) return ms;
  throw invalid(`[MirrorInterval]: must be 0 or from ${formatDuration(min)} to ${formatDuration(max)}`);
}

function unitsChangeOf(body: Body): UnitsChange {
  return {
    hasIssues: body.has_issues,
    tracker: trackerOf(body.internal_tracker),
    externalTracker: externalTrackerOf(body.external_tracker),
    hasWiki: body.has_wiki,
    wiki: { branch: wikiBranchOf(body.wiki_branch), isGloballyEditable: body.globally_editable_wiki },
    // A missing address of an external wiki counts as an invalid one.
    externalWikiUrl:
      body.external_wiki === undefined ? undefined : (body.external_wiki.external_wiki_url ?? ''),
    hasPulls: body.has_pull_requests,
    pulls: pullsOf(body),
    hasProjects: body.has_projects,
    hasReleases: body.has_releases,
  };
}

function trackerOf(tracker: Body['internal_tracker']): UnitsChange['tracker'] {
  if (tracker === undefined) return undefined;
  return {
    tracksTime: tracker.enable_time_tracker,
    onlyContributorsTrackTime: tracker.allow_only_contributors_to_track_time,
    hasDependencies: tracker.enable_issue_dependencies,
  };
}

function externalTrackerOf(tracker: Body['external_tracker']): UnitsChange['externalTracker'] {
  if (tracker === undefined) return undefined;
  const { external_tracker_style: style, external_tracker_regexp_pattern: pattern } = tracker;
  // Stored for clients and never run here, because a pattern can take forever.
  if (pattern !== undefined && !isPlainLine(pattern))
    throw invalid('[ExternalTracker.ExternalTrackerRegexpPattern]: must be one line');
  return {
    url: tracker.external_tracker_url,
    format: tracker.external_tracker_format,
    style: style === '' ? undefined : wordOf('ExternalTracker.ExternalTrackerStyle', style, TRACKER_STYLES),
    pattern,
  };
}

/** Parses the branch of the wiki. Records have '' if a repository has no built-in wiki. */
function wikiBranchOf(branch: string | undefined): string | undefined {
  if (branch === undefined || branch === '') return undefined;
  if (branch.length > REPOSITORY_LIMITS.branchNameCharsMax)
    throw invalid(`[WikiBranch]: MaxSize(${REPOSITORY_LIMITS.branchNameCharsMax})`);
  const problem = branchNameProblem(branch);
  if (problem !== undefined) throw invalid(`[WikiBranch]: ${problem}`);
  return branch;
}

function pullsOf(body: Body): UnitsChange['pulls'] {
  return {
    ignoresWhitespaceConflicts: body.ignore_whitespace_conflicts,
    allowsMerge: body.allow_merge_commits,
    allowsRebase: body.allow_rebase,
    allowsRebaseMerge: body.allow_rebase_explicit,
    allowsSquash: body.allow_squash_merge,
    allowsFastForwardOnly: body.allow_fast_forward_only_merge,
    allowsManualMerge: body.allow_manual_merge,
    detectsManualMerge: body.autodetect_manual_merge,
    allowsRebaseUpdate: body.allow_rebase_update,
    deletesBranchAfterMerge: body.default_delete_branch_after_merge,
    defaultMergeStyle: wordOf('DefaultMergeStyle', body.default_merge_style, MERGE_STYLES),
    defaultUpdateStyle: wordOf('DefaultUpdateStyle', body.default_update_style, UPDATE_STYLES),
    allowsMaintainerEdit: body.default_allow_maintainer_edit,
  };
}

/** @throws ForgeError `invalid` for any other word */
function wordOf<Word extends string>(
  field: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw invalid(`[${field}]: In(${words.join(',')})`);
  return word;
}
