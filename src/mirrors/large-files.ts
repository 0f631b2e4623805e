import { LIMITS } from '../core/limits.ts';
import type { RefUpdate, RepositoryId, WriteSession } from '../git/model.ts';
import { SourceError } from '../git/remote/model.ts';
import { findNamedObjects } from '../lfs/find-pointers.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { LfsObject, NamedObject } from '../lfs/model.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { OutboundResponse } from '../outbound/model.ts';
import { outboundAddressOf } from '../outbound/parse-url.ts';
import type { Source } from './model.ts';
import { authorizationOf } from './source.ts';

const MEDIA_TYPE = 'application/vnd.git-lfs+json';
/** Headers that a source may add to the request for an object. Others could change what the request is. */
const PASSED_HEADER = /^(?:accept|x-[a-z0-9-]+)$/;

interface Download {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

/** Copies objects of git-lfs from other servers. */
export class LargeFileCopies {
  readonly #outbound: OutboundClient;
  readonly #intake: ObjectIntake;
  readonly #links: ObjectLinks;
  readonly #largeFiles: LargeFiles;

  constructor(dependencies: {
    outbound: OutboundClient;
    objectIntake: ObjectIntake;
    objectLinks: ObjectLinks;
    largeFiles: LargeFiles;
  }) {
    this.#outbound = dependencies.outbound;
    this.#intake = dependencies.objectIntake;
    this.#links = dependencies.objectLinks;
    this.#largeFiles = dependencies.largeFiles;
  }

  /**
   * Stores the objects that new commits name and the repository lacks. Objects that the source lacks, too, are left out.
   * The caller makes them belong to the repository with `ObjectLinks.adopt`.
   *
   * @throws SourceError, OutboundError, ForgeError `too_large`, `invalid`; the reason of the signal
   */
  async stage(
    session: WriteSession,
    updates: readonly RefUpdate[],
    {
      id,
      ownerId,
      source,
      signal,
    }: { id: RepositoryId; ownerId: number; source: Source; signal: AbortSignal },
  ): Promise<readonly LfsObject[]> {
    const tips = updates.flatMap((update) => update.new ?? []);
    if (source.largeFiles === null || !this.#largeFiles.isEnabled || tips.length === 0) return [];
    const missing = await this.#links.missingIn(id, await findNamedObjects(session, tips));
    const bytes = missing.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await this.#intake.requireRoom(ownerId, bytes);
    const staged: LfsObject[] = [];
    for (let at = 0; at < missing.length; at += LIMITS.sourceBatchObjectsMax) {
      const batch = missing.slice(at, at + LIMITS.sourceBatchObjectsMax);
      const downloads = await this.#ask(source, batch, signal);
      for (const object of batch) {
        const download = downloads.get(object.oid);
        if (download !== undefined) staged.push(await this.#take(object, download, signal));
      }
    }
    return staged;
  }

  /** @returns downloads by the id of the object, of those that the source has */
  async #ask(
    source: Source,
    objects: readonly NamedObject[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Download>> {
    const endpoint = endpointOf(source);
    const isSameOrigin = endpoint.origin === source.url.origin;
    const authorization = isSameOrigin ? authorizationOf(source.credentials) : undefined;
    const response = await this.#outbound.send({
      method: 'POST',
      url: new URL(`${endpoint.href.replace(/\/+$/, '')}/objects/batch`),
      headers: { accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE },
      authorization,
      body: Buffer.from(
        JSON.stringify({
          operation: 'download',
          transfers: ['basic'],
          hash_algo: 'sha256',
          objects: objects.map(({ oid, sizeBytes: size }) => ({ oid, size })),
        }),
      ),
      deadlineMs: LIMITS.sourceAnswerMs,
      bytesMax: LIMITS.sourceBatchBytesMax,
      signal,
    });
    const answers = await objectsIn(response);
    return new Map(answers.flatMap((answer) => downloadOf(answer, { endpoint, authorization })));
  }

  async #take(object: NamedObject, download: Download, signal: AbortSignal): Promise<LfsObject> {
    const { sizeBytes } = object;
    const response = await this.#outbound.send({
      method: 'GET',
      ...download,
      deadlineMs: LIMITS.migrationMs,
      // The size is checked as the object is stored.
      bytesMax: sizeBytes + LIMITS.sourceBatchBytesMax,
      signal,
    });
    try {
      if (response.status !== 200) throw refused(response.status);
      return await this.#intake.stage(object, response.body);
    } finally {
      response.end();
    }
  }
}

/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md */
function endpointOf({ url, largeFiles }: Source): URL {
  if (largeFiles !== null && largeFiles.url !== null) return largeFiles.url;
  const repository = url.href.replace(/\/+$/, '');
  return new URL(`${repository}${repository.endsWith('.git') ? '' : '.git'}/info/lfs`);
}

async function objectsIn(response: OutboundResponse): Promise<readonly unknown[]> {
  try {
    if (response.status !== 200) throw refused(response.status);
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const { objects } = recordOf(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (Array.isArray(objects)) return objects;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  } finally {
    response.end();
  }
  throw malformed();
}

/** Reads the answer about one object: none or one download. */
function downloadOf(
  answer: unknown,
  { endpoint, authorization }: { endpoint: URL; authorization: string | undefined },
): readonly [string, Download][] {
  const { oid, error, actions, authenticated } = recordOf(answer);
  if (typeof oid !== 'string') throw malformed();
  if (error !== undefined && error !== null) {
    const { code } = recordOf(error);
    if (code === 404 || code === 410) return [];
    throw new SourceError('the source does not give out an object of git-lfs');
  }
  const { href, header } = recordOf(recordOf(actions).download);
  if (typeof href !== 'string') throw malformed();
  const { url } = outboundAddressOf(href);
  const headers = new Map(
    Object.entries(recordOf(header ?? {})).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  );
  const own = url.origin === endpoint.origin && authenticated !== true ? authorization : undefined;
  const passed = [...headers].filter(([name, value]) => PASSED_HEADER.test(name) && isHeaderValue(value));
  const given = headers.get('authorization');
  const isGiven = given !== undefined && isHeaderValue(given);
  return [[oid, { url, headers: Object.fromEntries(passed), authorization: isGiven ? given : own }]];
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]{1,4096}$/.test(value);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  return value as Readonly<Record<string, unknown>>;
}

function refused(status: number): SourceError {
  return new SourceError(`the source of large files answers with status ${status}`);
}

function malformed(): SourceError {
  return new SourceError('the source of large files does not answer as git-lfs expects');
}
