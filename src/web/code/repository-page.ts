import { asWritten, type Html, html } from '../../base/core/text/html.ts';
import type { ContentsLocation } from '../../code/contents/model.ts';
import type { Commit } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { wireTime } from '../../http/time.ts';
import { accountPath, filePath, repositoryPath } from '../addresses.ts';

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
