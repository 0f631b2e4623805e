import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { encodePath } from '../../code/contents/present.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentAuthor } from '../../people/accounts/present.ts';
import { presentAsset } from './assets/present.ts';
import type { Release } from './model.ts';
import { ReleaseSchema } from './schema.ts';

/** Returns the addresses of a release in records. */
export function releaseAddresses(
  { repository, id, tag }: Pick<Release, 'repository' | 'id' | 'tag'>,
  addresses: Addresses,
) {
  const { url, htmlUrl } = repositoryAddresses(repository, addresses);
  return {
    url: `${url}/releases/${id}`,
    htmlUrl: `${htmlUrl}/releases/tag/${encodePath(tag)}`,
    archiveUrl: `${htmlUrl}/archive/${encodePath(tag)}`,
  };
}

export function presentRelease(
  release: Release,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof ReleaseSchema> {
  const { url, htmlUrl, archiveUrl } = releaseAddresses(release, addresses);
  const { hidesArchives } = release;
  return {
    id: release.id,
    tag_name: release.tag,
    target_commitish: release.target,
    name: release.title,
    body: release.body,
    url,
    html_url: htmlUrl,
    tarball_url: hidesArchives ? '' : `${archiveUrl}.tar.gz`,
    zipball_url: hidesArchives ? '' : `${archiveUrl}.zip`,
    hide_archive_links: hidesArchives,
    upload_url: `${url}/assets`,
    draft: release.isDraft,
    prerelease: release.isPrerelease,
    created_at: wireTime(release.createdAt),
    published_at: wireTime(release.publishedAt),
    author: presentAuthor(release.author, viewer, addresses),
    assets: release.assets.map((asset) => presentAsset(asset, release, addresses)),
    archive_download_count: { zip: release.zipDownloads, tar_gz: release.tarGzDownloads },
  };
}

export const ReleaseAnswer = answerOf(ReleaseSchema, presentRelease);
