import { reaches } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { formatDuration } from '../../base/core/time/durations.ts';
import type { Addresses } from '../../http/app.ts';
import { NEVER_FILLED, UNSET_TIME, wireTime } from '../../http/time.ts';
import { presentOwner } from '../../people/accounts/present.ts';
import { presentTeam } from '../../people/teams/present.ts';
import type { PendingTransfer, PermittedRepository } from './model.ts';
import { type RepositoryRecord, RepositorySchema } from './schema.ts';
import { showsUnit } from './tracker.ts';
import type { Issues, PullSettings, RepositoryUnits } from './units.ts';

/** Returns the addresses of a repository in records. */
export function repositoryAddresses(
  repository: { readonly owner: { readonly name: string }; readonly name: string },
  addresses: Addresses,
) {
  const path = `${encodeURIComponent(repository.owner.name)}/${encodeURIComponent(repository.name)}`;
  return { path, url: `${addresses.apiRoot}/repos/${path}`, htmlUrl: `${addresses.baseUrl}/${path}` };
}

const SSH_PORT = 22;

/** Returns the address of a git repository over SSH; '' if the server has none. */
export function sshAddressOf(path: string, { ssh }: Addresses): string {
  if (ssh === undefined) return '';
  const { host, port } = ssh;
  return port === SSH_PORT ? `git@${host}:${path}` : `ssh://git@${host}:${port}/${path}`;
}

export function presentRepository(
  permitted: PermittedRepository,
  viewer: Viewer,
  addresses: Addresses,
): RepositoryRecord {
  const { repository, level, units, parent, transfer } = permitted;
  const { owner } = repository;
  const { path, url, htmlUrl } = repositoryAddresses(repository, addresses);
  return {
    link: '',
    id: repository.id,
    owner: presentOwner(owner, viewer, addresses),
    name: repository.name,
    full_name: `${owner.name}/${repository.name}`,
    fork: repository.parentId !== null,
    parent: parent === null ? null : presentRepository(parent, viewer, addresses),
    description: repository.description,
    website: repository.website,
    empty: repository.isEmpty,
    private: repository.isPrivate,
    internal: !repository.isPrivate && owner.visibility === 'private',
    template: repository.isTemplate,
    ...presentSource(permitted),
    size: Math.floor(repository.sizeBytes / 1024),
    url,
    html_url: htmlUrl,
    languages_url: `${url}/languages`,
    clone_url: `${htmlUrl}.git`,
    ssh_url: sshAddressOf(`${path}.git`, addresses),
    wiki_clone_url: `${htmlUrl}.wiki.git`,
    wiki_ssh_url: sshAddressOf(`${path}.wiki.git`, addresses),
    has_wiki_contents: repository.wikiId !== null,
    default_branch: repository.defaultBranch,
    archived: repository.archivedAt !== null,
    archived_at: repository.archivedAt === null ? UNSET_TIME : wireTime(repository.archivedAt),
    created_at: wireTime(repository.createdAt),
    updated_at: wireTime(repository.updatedAt),
    object_format_name: repository.objectFormat,
    language: repository.language,
    stars_count: repository.starsCount,
    forks_count: repository.forksCount,
    watchers_count: repository.watchersCount,
    open_issues_count: showsUnit(permitted, 'issues') ? repository.openIssuesCount : 0,
    open_pr_counter: showsUnit(permitted, 'pulls') ? repository.openPullsCount : 0,
    release_counter: showsReleases(permitted) ? repository.releasesCount : 0,
    topics: [...repository.topics],
    avatar_url: repository.avatar === '' ? '' : `${addresses.baseUrl}/repo-avatars/${repository.avatar}`,
    repo_transfer: transfer === null ? null : presentTransfer(transfer, viewer, addresses),
    ...presentUnits(repository.units),
    permissions: {
      admin: reaches(level, 'admin'),
      push: reaches(units.code, 'write'),
      pull: reaches(units.code, 'read'),
    },
  };
}

function showsReleases({ repository, units }: PermittedRepository): boolean {
  return repository.units.hasReleases && reaches(units.releases, 'read');
}

function presentSource({ repository, units }: PermittedRepository) {
  const { originalUrl, isMirror, mirrorIntervalMs, mirrorUpdatedAt, mirrorError } = repository;
  const showsError = mirrorError !== '' && reaches(units.code, 'write');
  return {
    ...(showsError ? { mirror_error: mirrorError } : {}),
    original_url: originalUrl,
    mirror: isMirror,
    mirror_interval: isMirror ? formatDuration(mirrorIntervalMs) : '',
    mirror_updated: mirrorUpdatedAt === null ? NEVER_FILLED : wireTime(mirrorUpdatedAt),
  };
}

function presentTransfer({ doer, recipient, teams }: PendingTransfer, viewer: Viewer, addresses: Addresses) {
  return {
    doer: presentOwner(doer, viewer, addresses),
    recipient: presentOwner(recipient, viewer, addresses),
    teams: teams.map((team) => presentTeam(team, null, addresses)),
  };
}

function presentUnits(units: RepositoryUnits) {
  const { issues, wiki } = units;
  return {
    has_issues: issues.kind !== 'off',
    ...presentTracker(issues),
    has_wiki: wiki.kind !== 'off',
    wiki_branch: wiki.kind === 'built-in' ? wiki.branch : '',
    globally_editable_wiki: wiki.kind === 'built-in' && wiki.isGloballyEditable,
    ...(wiki.kind === 'external' ? { external_wiki: { external_wiki_url: wiki.url } } : {}),
    ...presentPulls(units.pulls),
    has_projects: units.hasProjects,
    has_releases: units.hasReleases,
    // The server has neither packages nor actions.
    has_packages: false,
    has_actions: false,
  };
}

function presentTracker(issues: Issues) {
  if (issues.kind === 'built-in') {
    return {
      internal_tracker: {
        enable_time_tracker: issues.tracksTime,
        allow_only_contributors_to_track_time: issues.onlyContributorsTrackTime,
        enable_issue_dependencies: issues.hasDependencies,
      },
    };
  }
  if (issues.kind === 'off') return {};
  return {
    external_tracker: {
      external_tracker_url: issues.url,
      external_tracker_format: issues.format,
      external_tracker_style: issues.style,
      external_tracker_regexp_pattern: issues.pattern,
    },
  };
}

/** Presents the settings of pull requests. Without pull requests, all of them are false. */
function presentPulls(pulls: PullSettings | null) {
  return {
    has_pull_requests: pulls !== null,
    ignore_whitespace_conflicts: pulls?.ignoresWhitespaceConflicts ?? false,
    allow_merge_commits: pulls?.allowsMerge ?? false,
    allow_rebase: pulls?.allowsRebase ?? false,
    allow_rebase_explicit: pulls?.allowsRebaseMerge ?? false,
    allow_squash_merge: pulls?.allowsSquash ?? false,
    allow_fast_forward_only_merge: pulls?.allowsFastForwardOnly ?? false,
    allow_rebase_update: pulls?.allowsRebaseUpdate ?? false,
    default_delete_branch_after_merge: pulls?.deletesBranchAfterMerge ?? false,
    default_merge_style: pulls?.defaultMergeStyle ?? 'merge',
    default_update_style: pulls?.defaultUpdateStyle ?? 'merge',
    default_allow_maintainer_edit: pulls?.allowsMaintainerEdit ?? false,
  };
}

export const RepositoryAnswer = answerOf(RepositorySchema, presentRepository);
