import { hasScope } from '../../api/access/scopes.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import { CONTENTS } from '../../code/contents/actions.ts';
import type { Oid } from '../../git/format/model.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { isGranted } from '../../hosting/repositories/authorize.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { CommitReference, IssueReference } from '../references/model.ts';
import { MARKDOWN_LIMITS } from './limits.ts';
import type { IssueFinder, IssuePath, LinkPart, LinkTarget } from './model.ts';

/** For whom a text is rendered, and the repository that it belongs to, if the viewer may see it. */
interface Reader {
  readonly viewer: Viewer;
  readonly permitted: PermittedRepository | undefined;
}

interface Dependencies {
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly issues: IssueFinder;
  readonly addresses: Addresses;
}

/** What exists of the targets of one text, and is visible to its reader. */
interface Known {
  /** by name in lower case */
  readonly users: ReadonlyMap<string, string>;
  /** by `keyOf` */
  readonly issues: ReadonlyMap<string, 'issue' | 'pull'>;
  /** commits of the repository of the text, by their ids as they are written */
  readonly commits: ReadonlySet<string>;
}

/** Turns references into links if their targets exist and the reader may see them. */
export class ReferenceLinks {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the HTML of each part. Looks up all targets of a kind together. */
  async resolve(reader: Reader, parts: readonly LinkPart[]): Promise<ReadonlyMap<LinkPart, Html>> {
    const targets = parts.map(({ target }) => target);
    const [users, issues, commits] = await Promise.all([
      this.#usersAmong(reader, targets),
      this.#issuesAmong(reader, targets),
      this.#commitsAmong(reader, targets),
    ]);
    const known = { users, issues, commits };
    return new Map(parts.map((part) => [part, this.#linkOf(reader, part, known)]));
  }

  async #usersAmong({ viewer }: Reader, targets: readonly LinkTarget[]): Promise<Known['users']> {
    const names = targets.flatMap((target) => (target.kind === 'mention' ? [target.name.toLowerCase()] : []));
    // A token that may not read users learns nothing about hidden ones.
    const publicOnly = viewer.publicOnly || !hasScope(viewer.scopes, 'read:user');
    const found = await this.#dependencies.accounts.findVisibleUsers(
      { ...viewer, publicOnly },
      distinct(names, MARKDOWN_LIMITS.renderedReferencesMax),
    );
    return new Map([...found].map(([name, account]) => [name, account.name]));
  }

  async #issuesAmong(reader: Reader, targets: readonly LinkTarget[]): Promise<Known['issues']> {
    const paths = new Map<string, IssuePath>();
    for (const target of targets) {
      const path = target.kind === 'issue' ? issuePathOf(target.issue, reader) : undefined;
      if (path !== undefined && paths.size < MARKDOWN_LIMITS.renderedReferencesMax)
        paths.set(keyOf(path), path);
    }
    if (paths.size === 0) return new Map();
    const kinds = await this.#dependencies.issues.kindsOf(reader.viewer, [...paths.values()]);
    return new Map(
      [...paths.keys()].flatMap((key, index) => {
        const kind = kinds[index];
        return kind === undefined ? [] : [[key, kind] as const];
      }),
    );
  }

  async #commitsAmong(
    { viewer, permitted }: Reader,
    targets: readonly LinkTarget[],
  ): Promise<Known['commits']> {
    const ids = targets.flatMap((target) =>
      target.kind === 'commit' && isOf(permitted, target.commit) ? [target.commit.id] : [],
    );
    if (ids.length === 0 || permitted === undefined || !isGranted(viewer, permitted, CONTENTS.read))
      return new Set();
    const { objects } = await this.#dependencies.git.refs.open(permitted.repository.id);
    const found = await objects.resolvePrefixes(distinct(ids, MARKDOWN_LIMITS.renderedCommitsMax));
    const isCommit = async (oid: Oid) => (await objects.info(oid))?.type === 'commit';
    const kept = await Promise.all([...found].map(async ([id, oid]) => ((await isCommit(oid)) ? [id] : [])));
    return new Set(kept.flat());
  }

  #linkOf(reader: Reader, part: LinkPart, known: Known): Html {
    const { target, label, url } = part;
    const link =
      target.kind === 'mention'
        ? this.#mentionLink(label, known.users.get(target.name.toLowerCase()))
        : target.kind === 'issue'
          ? this.#issueLink(reader, part, target.issue, known)
          : target.kind === 'commit'
            ? this.#commitLink(reader, part, target.commit, known)
            : externalLink(reader, label, target.index);
    if (link !== undefined) return link;
    const text = asWritten(label);
    return url === undefined ? text : html`<a href="${url}" rel="nofollow">${text}</a>`;
  }

  #mentionLink(label: string, name: string | undefined): Html | undefined {
    if (name === undefined) return undefined;
    const { baseUrl } = this.#dependencies.addresses;
    return html`<a href="${`${baseUrl}/${name}`}" class="mention" rel="nofollow">${asWritten(label)}</a>`;
  }

  #issueLink(reader: Reader, part: LinkPart, issue: IssueReference, known: Known): Html | undefined {
    const path = issuePathOf(issue, reader);
    const kind = path === undefined ? undefined : known.issues.get(keyOf(path));
    if (path === undefined || kind === undefined) return undefined;
    const root = `${this.#dependencies.addresses.baseUrl}/${path.owner}/${path.name}`;
    const address = part.url ?? `${root}/${kind === 'pull' ? 'pulls' : 'issues'}/${path.number}`;
    const label = part.url === undefined ? part.label : shortLabel(reader, path, part.url);
    return html`<a href="${address}" class="ref-issue" rel="nofollow">${asWritten(label)}</a>`;
  }

  #commitLink(reader: Reader, part: LinkPart, commit: CommitReference, known: Known): Html | undefined {
    const { permitted } = reader;
    if (permitted === undefined || !isOf(permitted, commit) || !known.commits.has(commit.id))
      return undefined;
    const { owner, name } = permitted.repository;
    const address = `${this.#dependencies.addresses.baseUrl}/${owner.name}/${name}/commit/${commit.id}`;
    const id = commit.id.slice(0, MARKDOWN_LIMITS.shownCommitIdChars);
    const label = part.url === undefined ? part.label.replace(commit.id, id) : id;
    return html`<a href="${part.url ?? address}" class="commit" rel="nofollow"><code>${asWritten(label)}</code></a>`;
  }
}

function distinct(texts: readonly string[], max: number): readonly string[] {
  return [...new Set(texts)].slice(0, max);
}

/** @returns undefined for a number without a repository, in a text that belongs to none */
function issuePathOf({ repository, number }: IssueReference, { permitted }: Reader): IssuePath | undefined {
  if (repository !== undefined) return { ...repository, number };
  return permitted === undefined ? undefined : { ...pathOf(permitted), number };
}

function pathOf({ repository }: PermittedRepository): RepositoryPath {
  return { owner: repository.owner.name, name: repository.name };
}

function keyOf({ owner, name, number }: IssuePath): string {
  return `${owner}/${name}#${number}`.toLowerCase();
}

/** Whether a commit is one of the repository. */
function isOf(permitted: PermittedRepository | undefined, { repository }: CommitReference): boolean {
  if (repository === undefined || permitted === undefined) return permitted !== undefined;
  return isSamePath(repository, pathOf(permitted));
}

function isSamePath(one: RepositoryPath, other: RepositoryPath): boolean {
  return `${one.owner}/${one.name}`.toLowerCase() === `${other.owner}/${other.name}`.toLowerCase();
}

/** `#3` for the URL of an issue of the same repository. */
function shortLabel({ permitted }: Reader, path: IssuePath, url: string): string {
  const isHere = permitted !== undefined && isSamePath(path, pathOf(permitted));
  const number = `${isHere ? '' : `${path.owner}/${path.name}`}#${path.number}`;
  return url.includes('#issuecomment-') ? `${number} (comment)` : number;
}

/** @returns undefined without a format for the addresses of issues */
function externalLink({ permitted }: Reader, label: string, index: string): Html | undefined {
  const issues = permitted?.repository.units.issues;
  if (permitted === undefined || issues?.kind !== 'external' || issues.format === '') return undefined;
  const { owner, name } = pathOf(permitted);
  const values: Readonly<Record<string, string>> = { user: owner, repo: name, index };
  const address = issues.format.replaceAll(/\{(user|repo|index)\}/g, (_, key: string) =>
    encodeURIComponent(values[key] ?? ''),
  );
  return html`<a href="${address}" class="ref-issue ref-external-issue" rel="nofollow">${asWritten(label)}</a>`;
}
