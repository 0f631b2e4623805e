import { asWritten, type Html, html } from '../base/core/text/html.ts';
import type { ContentsLocation } from '../code/contents/model.ts';
import type { Commit } from '../git/format/model.ts';
import type { Repository } from '../hosting/repositories/model.ts';
import { repositoryAddresses, sshAddressOf } from '../hosting/repositories/present.ts';
import type { Addresses } from '../http/app.ts';
import { wireTime } from '../http/time.ts';
import { accountPath, filePath, repositoryPath } from './addresses.ts';
import { feedLinks } from './feeds/feed-document.ts';

interface Page {
  readonly title: string;
  readonly body: Html;
  readonly head?: Html;
}

/** Returns links to the owner and the repository. */
export function breadcrumbs({ owner, name }: Repository): Html {
  const repository = { owner, name };
  return html`<p><a href="${accountPath(owner.name)}">${owner.name}</a> / <a href="${repositoryPath(repository)}">${name}</a></p>`;
}

/**
 * @param options.showsFiles whether the viewer may read the code, and there is some
 * @param options.showsWiki whether the viewer may read the wiki, and it has a page, or is on another server
 */
export function repositoryPage(
  repository: Repository,
  { showsFiles, showsWiki, addresses }: { showsFiles: boolean; showsWiki: boolean; addresses: Addresses },
): Page {
  const { htmlUrl, path } = repositoryAddresses(repository, addresses);
  const overSsh = sshAddressOf(`${path}.git`, addresses);
  const sshPart = html`\n<pre>git clone ${overSsh}</pre>`;
  const branch = repository.defaultBranch;
  const folder = `${repositoryPath(repository)}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}`;
  const files = html`<p><a href="${folder}">Files on ${branch}</a></p>`;
  const title = `${repository.owner.name}/${repository.name}`;
  const body = html`${breadcrumbs(repository)}
<h1>${title}</h1>
<p>${repository.description}</p>
<pre>git clone ${htmlUrl}.git</pre>${overSsh === '' ? html`` : sshPart}
${showsFiles ? files : html``}
${showsWiki ? html`<p><a href="${repositoryPath(repository)}/wiki">Wiki</a></p>` : html``}`;
  return { title, body, head: feedLinks(`Feed of ${title}`, repositoryPath(repository)) };
}

export function commitPage(location: ContentsLocation, commit: Commit): Page {
  const { repository } = location;
  const parents = commit.parents.map(
    (oid) => html`<li>parent <a href="${repositoryPath(repository)}/commit/${oid}">${oid}</a></li>\n`,
  );
  const [subject = ''] = commit.message.split('\n');
  const body = html`${breadcrumbs(repository)}
<h1>${subject}</h1>
<pre>${asWritten(commit.message)}</pre>
<ul>
<li>commit ${commit.oid}</li>
${parents}<li>author ${commit.author.name}, ${wireTime(commit.author.seconds * 1000)}</li>
<li>committer ${commit.committer.name}, ${wireTime(commit.committer.seconds * 1000)}</li>
<li><a href="${filePath('src', { ...location, ref: { kind: 'commit', name: commit.oid, asked: '' } }, '')}">files</a></li>
</ul>`;
  return { title: `${subject} · ${repository.owner.name}/${repository.name}`, body };
}
