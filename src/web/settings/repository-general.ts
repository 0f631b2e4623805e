import type { FastifyReply, FastifyRequest } from 'fastify';
import { reaches } from '../../api/access/levels.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import { MERGE_STYLES, type PullSettings } from '../../hosting/repositories/units.ts';
import type { Addresses } from '../../http/app.ts';
import { formHtml, problemHtml } from '../forms/form-parts.ts';
import { checkbox, selectField, textArea, textField } from '../parts/fields.ts';
import { personHtml } from '../parts/people.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { agoHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { settingsPath } from './repository-frame.ts';

/** The forms of the page that change settings. */
export type GeneralForm = 'general' | 'units' | 'pulls' | 'visibility' | 'archive';

interface Parts {
  readonly permitted: PermittedRepository;
  readonly addresses: Addresses;
  readonly problem: string | undefined;
}

/** Returns the forms of the general settings of a repository. */
export function generalParts(
  request: FastifyRequest,
  reply: FastifyReply,
  { permitted, addresses, problem }: Parts,
): Html {
  const { repository, level, transfer } = permitted;
  const path = settingsPath(repository);
  const form = (change: GeneralForm, fields: Html, button: string) =>
    formHtml(
      request,
      reply,
      {
        action: path,
        fields: html`<input type="hidden" name="change" value="${change}">
${fields}`,
        button,
        isSecond: change !== 'general',
      },
      addresses,
    );
  const button = (fields: Record<string, string>, words: string, to = path) =>
    buttonForm(request, reply, { action: to, fields, button: words, look: 'danger' }, addresses);
  const named = (to: string, fields: Html, words: string) =>
    formHtml(
      request,
      reply,
      {
        action: `${path}/${to}`,
        fields: html`${fields}${textField({ name: 'confirm', label: `Type "${repository.name}" to confirm`, isRequired: true })}`,
        button: words,
        isSecond: true,
      },
      addresses,
    );
  const isOwner = reaches(level, 'owner');
  const { pulls } = repository.units;
  const ofPulls =
    pulls === null ? html`` : settingsBox('Pull requests', form('pulls', pullFields(pulls), 'Save'));
  const pending =
    transfer === null
      ? named('transfer', textField({ name: 'new_owner', label: 'New owner', isRequired: true }), 'Transfer')
      : html`<p>Waits for ${personHtml(transfer.recipient)} to accept.</p>${buttonForm(request, reply, { action: `${path}/transfer/cancel`, button: 'Cancel the transfer' }, addresses)}`;
  const ofOwner = isOwner
    ? html`${dangerBox('Transfer', html`<p>Another user or organization becomes the owner. Addresses with the former owner lead to the new ones.</p>${pending}`)}${dangerBox('Delete', html`<p>Everything of the repository is deleted: code, issues, pull requests, wiki and releases. Nothing brings it back.</p>${named('delete', html``, 'Delete the repository')}`)}`
    : html``;
  return html`${problemHtml(problem)}${settingsBox('About', form('general', aboutFields(repository), 'Save'))}${mirrorBox(request, reply, repository, addresses)}${settingsBox('Parts', form('units', unitFields(repository), 'Save'))}${ofPulls}${dangerBox(
    'Visibility',
    repository.isPrivate
      ? html`<p>Only people with access see the repository.</p>${button({ change: 'visibility', private: 'false' }, 'Make it public')}`
      : html`<p>Everyone who reaches this server sees the repository.</p>${button({ change: 'visibility', private: 'true' }, 'Make it private')}`,
  )}${dangerBox(
    'Archive',
    repository.archivedAt === null
      ? html`<p>An archived repository takes no changes. You can end this at any time.</p>${button({ change: 'archive', archived: 'true' }, 'Archive it')}`
      : html`<p>The repository is archived since ${agoHtml(repository.archivedAt)}.</p>${button({ change: 'archive', archived: 'false' }, 'End the archive')}`,
  )}${ofOwner}`;
}

function aboutFields(repository: Repository): Html {
  const { name, description, website, defaultBranch, isTemplate } = repository;
  const { repositoryNameCharsMax, descriptionCharsMax, websiteCharsMax, branchNameCharsMax } =
    REPOSITORY_LIMITS;
  return html`${textField({ name: 'name', label: 'Name', value: name, isRequired: true, charsMax: repositoryNameCharsMax, hint: 'Addresses with the former name lead to the new one.' })}${textArea({ name: 'description', label: 'Description', value: description, charsMax: descriptionCharsMax })}${textField({ name: 'website', label: 'Website', value: website, charsMax: websiteCharsMax })}${textField({ name: 'default_branch', label: 'Default branch', value: defaultBranch, charsMax: branchNameCharsMax })}${checkbox({ name: 'template', label: 'Template', hint: 'Others can begin a repository with its files.', isChecked: isTemplate })}`;
}

function unitFields({ units }: Repository): Html {
  const { issues, wiki } = units;
  const ofIssues =
    issues.kind === 'external'
      ? html`<p class="hint">Issues are on another server: ${issues.url}. Change this over the API.</p>`
      : html`${checkbox({ name: 'has_issues', label: 'Issues', isChecked: issues.kind === 'built-in' })}${checkbox({ name: 'enable_time_tracker', label: 'Time tracking of issues', isChecked: issues.kind === 'built-in' && issues.tracksTime })}${checkbox({ name: 'enable_issue_dependencies', label: 'Dependencies of issues', isChecked: issues.kind === 'built-in' && issues.hasDependencies })}`;
  const ofWiki =
    wiki.kind === 'external'
      ? html`<p class="hint">The wiki is on another server: ${wiki.url}. Change this over the API.</p>`
      : html`${checkbox({ name: 'has_wiki', label: 'Wiki', isChecked: wiki.kind === 'built-in' })}${checkbox({ name: 'globally_editable_wiki', label: 'Every signed-in user may edit the wiki', isChecked: wiki.kind === 'built-in' && wiki.isGloballyEditable })}`;
  return html`${ofIssues}${ofWiki}${checkbox({ name: 'has_pull_requests', label: 'Pull requests', isChecked: units.pulls !== null })}${checkbox({ name: 'has_releases', label: 'Releases', isChecked: units.hasReleases })}`;
}

const STYLE_WORDS: Readonly<Record<(typeof MERGE_STYLES)[number], string>> = {
  merge: 'Merge commit',
  rebase: 'Rebase',
  'rebase-merge': 'Rebase, then a merge commit',
  squash: 'One commit of all (squash)',
  'fast-forward-only': 'Fast-forward only',
  'manually-merged': 'Merged by hand',
  'rebase-update-only': 'Rebase of the branch only',
};

function pullFields(pulls: PullSettings): Html {
  const styles = [
    ['allow_merge_commits', STYLE_WORDS.merge, pulls.allowsMerge],
    ['allow_rebase', STYLE_WORDS.rebase, pulls.allowsRebase],
    ['allow_rebase_explicit', STYLE_WORDS['rebase-merge'], pulls.allowsRebaseMerge],
    ['allow_squash_merge', STYLE_WORDS.squash, pulls.allowsSquash],
    ['allow_fast_forward_only_merge', STYLE_WORDS['fast-forward-only'], pulls.allowsFastForwardOnly],
  ] as const;
  return html`<fieldset><legend>Ways to merge</legend>${styles.map(([name, label, isOn]) => checkbox({ name, label, isChecked: isOn }))}</fieldset>
${selectField({ name: 'default_merge_style', label: 'Offered first', value: pulls.defaultMergeStyle, options: MERGE_STYLES.map((style) => [style, STYLE_WORDS[style]]) })}${checkbox({ name: 'allow_rebase_update', label: 'A branch may be updated by a rebase', isChecked: pulls.allowsRebaseUpdate })}${checkbox({ name: 'default_delete_branch_after_merge', label: 'Delete the branch after the merge', isChecked: pulls.deletesBranchAfterMerge })}${checkbox({ name: 'default_allow_maintainer_edit', label: 'Maintainers may push to the branch of a new pull request', isChecked: pulls.allowsMaintainerEdit })}`;
}

function mirrorBox(
  request: FastifyRequest,
  reply: FastifyReply,
  repository: Repository,
  addresses: Addresses,
): Html {
  const { isMirror, originalUrl, mirrorUpdatedAt, mirrorError } = repository;
  if (!isMirror) return html``;
  const state =
    mirrorError === ''
      ? html`<p>${mirrorUpdatedAt === null ? 'Not updated yet.' : html`Updated ${agoHtml(mirrorUpdatedAt)}.`}</p>`
      : html`<p class="notice danger">The last update failed: ${mirrorError}</p>`;
  const sync = buttonForm(
    request,
    reply,
    { action: `${settingsPath(repository)}/mirror-sync`, button: 'Update now' },
    addresses,
  );
  return settingsBox('Mirror', html`<p>It follows ${originalUrl}.</p>${state}${sync}`);
}
