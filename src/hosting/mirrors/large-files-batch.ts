import { withoutEndSlashes } from '../../base/core/text/text.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { type OutboundResponse, readWhole } from '../../base/outbound/model.ts';
import { outboundAddressOf } from '../../base/outbound/parse-url.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { mayStatusPass, RemoteError } from '../../git/remote/model.ts';
import type { NamedObject } from '../lfs/model.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { Source } from './model.ts';
import { authorizationOf } from './source.ts';

export const LFS_MEDIA_TYPE = 'application/vnd.git-lfs+json';
/** Headers that a server may add to a request for an object. Other headers could change the meaning of the request. */
const PASSED_HEADER = /^(?:accept|content-type|x-[a-z0-9-]+)$/;

/** How a request for one object is sent. */
export interface ObjectRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

/** The requests that a server expects for an object, by the name of the action. */
export type ObjectActions = Readonly<Partial<Record<'download' | 'upload' | 'verify', ObjectRequest>>>;

interface Batch {
  readonly operation: 'download' | 'upload';
  readonly objects: readonly NamedObject[];
  readonly signal: AbortSignal;
}

/**
 * Asks the server of git-lfs of a repository about a batch of objects.
 *
 * @returns actions by the id of the object; no actions for an object to download that the server lacks
 * @throws RemoteError, OutboundError; the reason of the signal
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
 */
export async function askBatch(
  outbound: OutboundClient,
  source: Source,
  { operation, objects, signal }: Batch,
): Promise<ReadonlyMap<string, ObjectActions>> {
  const from = operation === 'download' ? 'source' : 'target';
  const endpoint = endpointOf(source);
  const isSameOrigin = endpoint.origin === source.url.origin;
  const authorization = isSameOrigin ? authorizationOf(source.credentials) : undefined;
  const response = await outbound.send({
    method: 'POST',
    url: new URL(`${withoutEndSlashes(endpoint.href)}/objects/batch`),
    headers: { accept: LFS_MEDIA_TYPE, 'content-type': LFS_MEDIA_TYPE },
    authorization,
    body: Buffer.from(
      JSON.stringify({
        operation,
        transfers: ['basic'],
        hash_algo: 'sha256',
        objects: objects.map(({ oid, sizeBytes: size }) => ({ oid, size })),
      }),
    ),
    deadlineMs: GIT_LIMITS.sourceAnswerMs,
    bytesMax: MIRROR_LIMITS.sourceBatchBytesMax,
    signal,
  });
  const answers = await objectsIn(response, from);
  const actions = new Map(
    answers.flatMap((answer) => actionsOf(answer, { operation, from, endpoint, authorization })),
  );
  // Without an answer about an object, it is unknown whether the target has it.
  if (operation === 'upload' && !objects.every(({ oid }) => actions.has(oid))) throw malformed(from);
  return actions;
}

/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md */
function endpointOf({ url, largeFiles }: Source): URL {
  if (largeFiles !== null && largeFiles.url !== null) return largeFiles.url;
  const repository = withoutEndSlashes(url.href);
  return new URL(`${repository}${repository.endsWith('.git') ? '' : '.git'}/info/lfs`);
}

async function objectsIn(response: OutboundResponse, from: Side): Promise<readonly unknown[]> {
  if (response.status !== 200) {
    response.end();
    throw answersWith(response.status, from);
  }
  const bytes = await readWhole(response);
  try {
    const { objects } = recordOf(JSON.parse(bytes.toString('utf8')), from);
    if (Array.isArray(objects)) return objects;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw malformed(from);
}

/** The name of the other server in messages. */
type Side = 'source' | 'target';

interface Asked {
  readonly operation: 'download' | 'upload';
  readonly from: Side;
  readonly endpoint: URL;
  readonly authorization: string | undefined;
}

const REFUSED = {
  download: 'the source does not give out an object of git-lfs',
  upload: 'the target does not take an object of git-lfs',
};

/** Reads the answer about one object. */
function actionsOf(answer: unknown, asked: Asked): readonly [string, ObjectActions][] {
  const { operation, from } = asked;
  const { oid, error, actions, authenticated } = recordOf(answer, from);
  if (typeof oid !== 'string') throw malformed(from);
  if (error !== undefined && error !== null) {
    const { code } = recordOf(error, from);
    if (operation === 'download' && (code === 404 || code === 410)) return [];
    throw new RemoteError(REFUSED[operation]);
  }
  // If an object to upload has no actions, the server has it already.
  if (operation === 'upload' && (actions === undefined || actions === null)) return [[oid, {}]];
  const { [operation]: transfer, verify } = recordOf(actions, from);
  const read = (action: unknown) => requestOf(action, { ...asked, isAuthenticated: authenticated === true });
  if (operation === 'download') return [[oid, { download: read(transfer) }]];
  if (transfer === undefined) return [[oid, {}]];
  return [[oid, { upload: read(transfer), ...(verify === undefined ? {} : { verify: read(verify) }) }]];
}

function requestOf(
  action: unknown,
  { from, endpoint, authorization, isAuthenticated }: Asked & { isAuthenticated: boolean },
): ObjectRequest {
  const { href, header } = recordOf(action, from);
  if (typeof href !== 'string') throw malformed(from);
  const { url } = outboundAddressOf(href);
  const headers = new Map(
    Object.entries(recordOf(header ?? {}, from)).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  );
  const own = url.origin === endpoint.origin && !isAuthenticated ? authorization : undefined;
  const passed = [...headers].filter(([name, value]) => PASSED_HEADER.test(name) && isHeaderValue(value));
  const given = headers.get('authorization');
  const isGiven = given !== undefined && isHeaderValue(given);
  return { url, headers: Object.fromEntries(passed), authorization: isGiven ? given : own };
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]{1,4096}$/.test(value);
}

function recordOf(value: unknown, from: Side): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(from);
  return value as Readonly<Record<string, unknown>>;
}

export function answersWith(status: number, from: Side): RemoteError {
  return new RemoteError(`the ${from} of large files answers with status ${status}`, {
    mayPass: mayStatusPass(status),
  });
}

function malformed(from: Side): RemoteError {
  return new RemoteError(`the ${from} of large files does not answer as git-lfs expects`);
}
