import { conflict, invalid } from '../../../base/core/failure.ts';
import { isPlainLine } from '../../../base/core/text/text.ts';
import type { Db } from '../../../base/database/database.ts';
import { RELEASE_LIMITS } from '../limits.ts';
import { countAssets, hasAssetNamed } from '../store/assets.ts';

/**
 * Requires that a release may have one more asset of this name.
 *
 * @throws ForgeError `invalid` for too many assets; `conflict` for a name in use, because a name leads to one file
 */
export async function requireRoomFor(db: Db, releaseId: number, name: string): Promise<void> {
  const { releaseAssetsMax: countMax } = RELEASE_LIMITS;
  if ((await countAssets(db, releaseId)) >= countMax)
    throw invalid(`a release has at most ${countMax} assets`);
  await requireFreeName(db, releaseId, name);
}

/** @throws ForgeError `conflict` */
export async function requireFreeName(db: Db, releaseId: number, name: string): Promise<void> {
  if (await hasAssetNamed(db, releaseId, name))
    throw conflict(`the release has an asset named ${name} already: delete it first`);
}

/** Checks the address of an asset on another server. @throws ForgeError `invalid` */
export function validExternalUrl(text: string): string {
  const url = text.trim();
  const charsMax = RELEASE_LIMITS.releaseAssetUrlCharsMax;
  const parsed = URL.parse(url);
  const isWeb = parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
  if (!isWeb || url.length > charsMax || !isPlainLine(url))
    throw invalid(`the address of an external asset is a web address of at most ${charsMax} characters`);
  if (parsed.username !== '' || parsed.password !== '')
    throw invalid('the address of an external asset has no name and no password');
  return parsed.href;
}

/** Returns a name for an asset on another server: the last part of its address, or else the server. */
export function nameInUrl(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '');
  if (last === undefined) return hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
