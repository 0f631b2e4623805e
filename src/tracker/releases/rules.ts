import type { Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { hasUnseen, isPlainLine, isStorableText } from '../../base/core/text/text.ts';
import { tagNameProblem } from '../../git/format/ref-names.ts';
import { isGranted } from '../../hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { RELEASE } from './actions.ts';
import { RELEASE_LIMITS } from './limits.ts';
import type { ReleaseFields } from './model.ts';

/** @throws ForgeError `not_found` if releases are switched off */
export function requireReleases<Permitted extends Pick<PermittedRepository, 'repository'>>(
  permitted: Permitted,
): Permitted {
  if (!permitted.repository.units.hasReleases) throw notFound('release');
  return permitted;
}

/** Whether the viewer sees drafts. */
export function seesDrafts(viewer: Viewer, permitted: PermittedRepository): boolean {
  return isGranted(viewer, permitted, RELEASE.readDrafts);
}

/**
 * Returns the fields in the form in which they are stored.
 *
 * @throws ForgeError `invalid`
 */
export function validRelease(fields: ReleaseFields): ReleaseFields {
  const { tag, target, body } = fields;
  const problem = tagNameProblem(tag);
  if (problem !== undefined) throw invalid(`${problem} [tag: ${tag}]`);
  const title = fields.title.trim() === '' ? tag : fields.title.trim();
  const { releaseTitleCharsMax, releaseBodyCharsMax, releaseTargetCharsMax } = RELEASE_LIMITS;
  // A tag may be longer than a title, which it replaces if there is none.
  if (title !== tag && title.length > releaseTitleCharsMax)
    throw invalid(`the title of a release has at most ${releaseTitleCharsMax} characters`);
  if (!isPlainLine(title) || hasUnseen(title))
    throw invalid('the title of a release is one line of visible characters');
  if (body.length > releaseBodyCharsMax || !isStorableText(body))
    throw invalid(`the text of a release is valid Unicode with at most ${releaseBodyCharsMax} characters`);
  if (target.length > releaseTargetCharsMax || !isPlainLine(target))
    throw invalid(`target_commitish has at most ${releaseTargetCharsMax} characters`);
  return { ...fields, title };
}
