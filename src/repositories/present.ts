import type { Static } from 'typebox';
import { reaches } from '../access/policy.ts';
import type { Viewer } from '../access/viewer.ts';
import { presentOwner } from '../accounts/present.ts';
import type { Addresses } from '../http/app.ts';
import { NEVER_FILLED, UNSET_TIME, wireTime } from '../http/time.ts';
import type { HeldRepository, Repository } from './model.ts';
import type { RepositorySchema } from './schema.ts';

/** Addresses of one repository, as records name them. */
export function repositoryAddresses(repository: Repository, addresses: Addresses) {
  const path = `${encodeURIComponent(repository.owner.name)}/${encodeURIComponent(repository.name)}`;
  return { url: `${addresses.apiRoot}/repos/${path}`, htmlUrl: `${addresses.baseUrl}/${path}` };
}

/** What does not act here says so: no tracker, no wiki, no pull requests, and none of their settings. */
const NOT_HERE = {
  fork: false,
  parent: null,
  language: '',
  link: '',
  ssh_url: '',
  original_url: '',
  stars_count: 0,
  forks_count: 0,
  watchers_count: 0,
  open_issues_count: 0,
  open_pr_counter: 0,
  release_counter: 0,
  has_issues: false,
  has_wiki: false,
  has_wiki_contents: false,
  wiki_branch: '',
  wiki_clone_url: '',
  wiki_ssh_url: '',
  globally_editable_wiki: false,
  has_pull_requests: false,
  has_projects: false,
  has_releases: false,
  has_packages: false,
  has_actions: false,
  ignore_whitespace_conflicts: false,
  allow_merge_commits: false,
  allow_rebase: false,
  allow_rebase_explicit: false,
  allow_squash_merge: false,
  allow_fast_forward_only_merge: false,
  allow_rebase_update: false,
  default_delete_branch_after_merge: false,
  default_merge_style: 'merge',
  default_update_style: 'merge',
  default_allow_maintainer_edit: false,
  avatar_url: '',
  mirror_interval: '',
  mirror_updated: NEVER_FILLED,
  repo_transfer: null,
  topics: [],
};

export function presentRepository(
  held: HeldRepository,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof RepositorySchema> {
  const { repository, level, units } = held;
  const { owner } = repository;
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  return {
    ...NOT_HERE,
    id: repository.id,
    owner: presentOwner(owner, viewer, addresses),
    name: repository.name,
    full_name: `${owner.name}/${repository.name}`,
    description: repository.description,
    website: repository.website,
    empty: repository.isEmpty,
    private: repository.isPrivate,
    internal: !repository.isPrivate && owner.visibility === 'private',
    template: repository.isTemplate,
    mirror: repository.isMirror,
    size: Math.floor(repository.sizeBytes / 1024),
    url,
    html_url: htmlUrl,
    languages_url: `${url}/languages`,
    clone_url: `${htmlUrl}.git`,
    default_branch: repository.defaultBranch,
    archived: repository.archivedAt !== null,
    archived_at: repository.archivedAt === null ? UNSET_TIME : wireTime(repository.archivedAt),
    created_at: wireTime(repository.createdAt),
    updated_at: wireTime(repository.updatedAt),
    object_format_name: repository.objectFormat,
    permissions: {
      admin: reaches(level, 'admin'),
      push: reaches(units.code, 'write'),
      pull: reaches(units.code, 'read'),
    },
  };
}
