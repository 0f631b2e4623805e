import { ForgeError } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { OutboundError } from '../../base/outbound/model.ts';
import { mayStatusPass, RemoteError } from '../../git/remote/model.ts';
import type { CopiedRefs } from '../../hosting/mirrors/model.ts';
import { countedBytes } from '../../hosting/mirrors/progress.ts';
import { authorizationOf } from '../../hosting/mirrors/source.ts';
import { validName } from '../issues/attachments/rules.ts';
import { validExternalUrl } from '../releases/assets/rules.ts';
import { RELEASE_LIMITS } from '../releases/limits.ts';
import { type ReleaseFields, tagRef } from '../releases/model.ts';
import { validRelease } from '../releases/rules.ts';
import type { ImportedRelease, ReleaseStaging } from '../releases/staging.ts';
import { tooMany } from './family-server.ts';
import type { Fields } from './fields.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { missingList, type TrackerSource, unlessMalformed } from './tracker-source.ts';

interface Dependencies {
  readonly outbound: OutboundClient;
  readonly releaseStaging: ReleaseStaging;
}

/** A release as its record says it. */
interface ReleaseRecord extends ReleaseFields {
  readonly createdAt: number;
  readonly publishedAt: number;
  readonly author: string;
  readonly assets: readonly AssetRecord[];
}

interface AssetRecord {
  readonly name: string;
  readonly url: URL;
  readonly isExternal: boolean;
  readonly createdAt: number;
}

/** Reads releases, and receives their files one after the other. Records that cannot be used are left out. */
export class ReleaseImport {
  readonly #from: TrackerSource;
  readonly #use: Dependencies;
  readonly #releases: ImportedRelease[] = [];
  readonly #tags = new Set<string>();
  #assets = 0;
  #bytes = 0;

  constructor(from: TrackerSource, dependencies: Dependencies) {
    this.#from = from;
    this.#use = dependencies;
  }

  /** @throws RemoteError, OutboundError; ForgeError as `ReleaseStaging.addFile`; the reason of the signal */
  async read(): Promise<void> {
    const { server, path, omissions } = this.#from;
    const pages = server.pages(`${path}/releases`, {
      what: 'releases',
      itemsMax: IMPORT_LIMITS.importedReleasesMax,
      onMissing: () => omissions.add(missingList('releases')),
    });
    for await (const page of pages) {
      for (const fields of page) {
        const record = unlessMalformed(this.#from, 'releases', () => this.#recordOf(fields));
        if (record !== undefined && !this.#tags.has(record.tag)) await this.#take(record);
      }
    }
  }

  /**
   * Returns the releases, the oldest first, as the source lists the newest first. A published one whose tag was not copied
   * is left out.
   */
  withTags(copied: CopiedRefs): readonly ImportedRelease[] {
    const found = this.#releases.filter(({ isDraft, tag }) => isDraft || copied.has(tagRef(tag)));
    const without = this.#releases.length - found.length;
    if (without > 0) this.#from.copying.progress.leftOut.push(`releases whose tags are missing: ${without}`);
    // Times of records are whole seconds, so ids decide the order of releases of one second.
    return found.toReversed();
  }

  #recordOf(fields: Fields): ReleaseRecord {
    const createdAt = fields.time('created_at') ?? currentTimeMs();
    const release = usable('release', () =>
      validRelease({
        tag: fields.text('tag_name'),
        target: fields.line('target_commitish').slice(0, RELEASE_LIMITS.releaseTargetCharsMax),
        title: fields.line('name'),
        body: fields.text('body'),
        isDraft: fields.flag('draft'),
        isPrerelease: fields.flag('prerelease'),
        hidesArchives: fields.flag('hide_archive_links'),
      }),
    );
    return {
      ...release,
      createdAt,
      publishedAt: fields.time('published_at') ?? createdAt,
      author: fields.record('author')?.text('login').toLowerCase() ?? '',
      assets: fields
        .records('assets')
        .flatMap((asset) => unlessMalformed(this.#from, 'assets of releases', () => assetOf(asset)) ?? []),
    };
  }

  async #take({ assets, author, ...release }: ReleaseRecord): Promise<void> {
    const { items, texts, omissions } = this.#from;
    texts.add(release.body);
    this.#tags.add(release.tag);
    const byName = new Map(assets.map((asset) => [asset.name, asset]));
    const taken = [...byName.values()].slice(0, RELEASE_LIMITS.releaseAssetsMax);
    omissions.add(
      'assets of releases with the name of another one, or too many',
      assets.length - taken.length,
    );
    const ids: number[] = [];
    for (const asset of taken) {
      const id = await this.#stage(asset);
      if (id !== undefined) ids.push(id);
    }
    this.#releases.push({ ...release, authorId: items.authors.get(author) ?? null, assets: ids });
  }

  /** @returns the id of the row; undefined for a file that the source does not send */
  async #stage(asset: AssetRecord): Promise<number | undefined> {
    this.#assets += 1;
    if (this.#assets > IMPORT_LIMITS.importedAssetsMax)
      throw tooMany(IMPORT_LIMITS.importedAssetsMax, 'assets of releases');
    const { releaseStaging } = this.#use;
    if (asset.isExternal) return releaseStaging.addExternal(asset, asset.url.href);
    const { copying, omissions } = this.#from;
    const bytes = await this.#open(asset);
    if (bytes === undefined) {
      omissions.add('files of releases that cannot be received');
      return undefined;
    }
    const counted = countedBytes(bytes, copying.progress);
    const { id, sizeBytes } = await releaseStaging.addFile(asset, {
      ownerId: copying.ownerId,
      bytes: counted,
    });
    this.#bytes += sizeBytes;
    // Staged files count for no owner yet.
    await releaseStaging.requireRoom(copying.ownerId, this.#bytes);
    return id;
  }

  async #open({ url }: AssetRecord): Promise<AsyncIterable<Buffer> | undefined> {
    const { copying } = this.#from;
    const { source } = copying.wanted;
    const request = {
      method: 'GET' as const,
      url,
      // The record may name any server.
      authorization: url.origin === source.url.origin ? authorizationOf(source.credentials) : undefined,
      deadlineMs: IMPORT_LIMITS.importedAssetMs,
      bytesMax: RELEASE_LIMITS.releaseAssetBytesMax,
      signal: copying.signal,
    };
    const response = await this.#use.outbound.send(request).catch(undefinedIfDenied);
    if (response === undefined) return undefined;
    if (response.status === 200) return response.body;
    response.end();
    const mayPass = mayStatusPass(response.status);
    if (mayPass)
      throw new RemoteError(`the source answers with status ${response.status} for an asset`, { mayPass });
    return undefined;
  }
}

/** The rules of this site keep the server from where the file is: then the copy goes without it. */
function undefinedIfDenied(error: unknown): undefined {
  if (error instanceof OutboundError && error.failure === 'denied') return undefined;
  throw error;
}

/** @throws RemoteError */
function assetOf(fields: Fields): AssetRecord {
  const url = fields.text('browser_download_url');
  return usable('asset', () => ({
    name: validName(fields.text('name')),
    url: new URL(validExternalUrl(url)),
    isExternal: fields.text('type') === 'external',
    createdAt: fields.time('created_at') ?? currentTimeMs(),
  }));
}

/** @throws RemoteError for values that this server does not store */
function usable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    throw new RemoteError(`the source sends a ${what} that cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}
