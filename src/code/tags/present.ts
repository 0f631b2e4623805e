import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { NEVER_FILLED, wireTime } from '../../http/time.ts';
import { encodePath, presentSignature } from '../contents/present.ts';
import { presentVerification } from '../verification/present.ts';
import { NO_TAGGER, type TagObject, type TagRef } from './model.ts';
import { AnnotatedTagSchema, TagSchema } from './schema.ts';

/** The server does not count downloads. */
const NO_DOWNLOADS = { zip: 0, tar_gz: 0 };

function presentTag(tag: TagRef, _viewer: Viewer, addresses: Addresses): Static<typeof TagSchema> {
  const { url, htmlUrl } = repositoryAddresses(tag.repository, addresses);
  const archive = `${htmlUrl}/archive/${encodePath(tag.name)}`;
  return {
    name: tag.name,
    message: tag.message.trim(),
    id: tag.oid,
    commit: {
      url: `${url}/git/commits/${tag.target}`,
      sha: tag.target,
      created: tag.seconds === null ? NEVER_FILLED : wireTime(tag.seconds * 1000),
    },
    zipball_url: `${archive}.zip`,
    tarball_url: `${archive}.tar.gz`,
    archive_download_count: NO_DOWNLOADS,
  };
}

function presentTagObject(
  { repository, tag, verification }: TagObject,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof AnnotatedTagSchema> {
  const { url } = repositoryAddresses(repository, addresses);
  return {
    tag: tag.name,
    sha: tag.oid,
    url: `${url}/git/tags/${tag.oid}`,
    message: tag.message,
    tagger: presentSignature(tag.tagger ?? NO_TAGGER),
    object: { type: tag.type, url: `${url}/git/${tag.type}s/${tag.object}`, sha: tag.object },
    verification: presentVerification(verification),
    archive_download_count: NO_DOWNLOADS,
  };
}

export const TagAnswer = answerOf(TagSchema, presentTag);
export const TagObjectAnswer = answerOf(AnnotatedTagSchema, presentTagObject);
