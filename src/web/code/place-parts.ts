import { type Html, html } from '../../base/core/text/html.ts';
import type { AddressedLocation, ContentsLocation } from '../../code/contents/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { repositoryAddresses, sshAddressOf } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { encoded, filePath, repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { icon } from '../parts/icons.ts';

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';

/** Returns the path of the page that a picker leads to. */
type PageAt = (location: ContentsLocation) => string;

/**
 * Returns a menu that leads to the same path at another branch or tag.
 *
 * @param pageAt by default, the page of a file or folder
 */
export function refPicker(
  location: ContentsLocation,
  pageAt: PageAt = (at) => filePath('src', at, at.path),
): Html {
  const { ref, snapshot, repository, commit } = location;
  const shown = ref.kind === 'commit' ? commit.slice(0, 10) : ref.name;
  const more = html`<a href="${repositoryPath(repository)}/branches">All branches</a><a href="${repositoryPath(repository)}/tags">All tags</a>`;
  return html`<details class="menu start"><summary class="button">${icon(ref.kind === 'tag' ? 'tag' : 'branch')}<span class="sr-only">Shown: ${ref.kind} </span>${shown}</summary><div>
${namesOf(snapshot.refs(HEADS), HEADS).map((name) => refLink(location, { kind: 'branch', name, pageAt }))}
${namesOf(snapshot.refs(TAGS), TAGS).map((name) => refLink(location, { kind: 'tag', name, pageAt }))}
${more}</div></details>`;
}

/** Returns the first names of refs. */
function namesOf(refs: Iterable<readonly [string, ...unknown[]]>, prefix: string): readonly string[] {
  const names: string[] = [];
  for (const [name] of refs) {
    if (names.length === WEB_LIMITS.pickedRefsMax) break;
    names.push(name.slice(prefix.length));
  }
  return names;
}

function refLink(
  location: ContentsLocation,
  { kind, name, pageAt }: { kind: 'branch' | 'tag'; name: string; pageAt: PageAt },
): Html {
  const isCurrent = location.ref.kind === kind && location.ref.name === name;
  const target = { ...location, ref: { kind, name, asked: name } };
  return html`<a href="${pageAt(target)}"${isCurrent ? html` aria-current="true"` : html``}>${icon(kind)} ${name}</a>
`;
}

/** Returns the path of a file or folder, each of whose parts leads to its folder. */
export function pathCrumbs(location: ContentsLocation): Html {
  const { repository, path } = location;
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, index) =>
    index === parts.length - 1
      ? html` / <strong>${part}</strong>`
      : html` / <a href="${filePath('src', location, parts.slice(0, index + 1).join('/'))}">${part}</a>`,
  );
  return html`<nav class="crumbs" aria-label="Path"><a href="${filePath('src', location, '')}">${repository.name}</a>${links}</nav>`;
}

/** Returns a menu with the addresses to clone from, and the archives to download. */
export function cloneMenu({ repository, ref, commit }: AddressedLocation, addresses: Addresses): Html {
  const archive = `${repositoryPath(repository)}/archive/${ref.kind === 'commit' ? commit : encoded(ref.name)}`;
  return html`<details class="menu"><summary class="button primary">${icon('download')}Clone</summary><div>
<div class="clone">${cloneAddresses(repository, addresses)}
<div class="row"><a class="button small" href="${archive}.zip" rel="nofollow">ZIP</a><a class="button small" href="${archive}.tar.gz" rel="nofollow">tar.gz</a></div></div>
</div></details>`;
}

/** Returns the addresses to clone from, in fields whose text people copy. */
export function cloneAddresses(repository: Repository, addresses: Addresses): Html {
  const { htmlUrl, path } = repositoryAddresses(repository, addresses);
  const overSsh = sshAddressOf(`${path}.git`, addresses);
  const ssh = overSsh === '' ? html`` : html`<label>SSH <input readonly value="${overSsh}"></label>`;
  return html`<label>HTTP <input readonly value="${htmlUrl}.git"></label>${ssh}`;
}
