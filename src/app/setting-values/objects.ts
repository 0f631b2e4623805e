import { withoutEndSlashes, withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { S3Settings } from '../../storage/s3/settings.ts';
import { ConfigError } from '../config-error.ts';

/** Where objects are: in the data folder, or in an S3 store. */
export type ObjectsSetting = { readonly kind: 'folder' } | ({ readonly kind: 's3' } & S3Settings);

const FOLDER = 'folder';
const OPTIONS = ['endpoint', 'public-endpoint', 'region', 'path-style'];
const REGION_DEFAULT = 'us-east-1';
/** Names that every store accepts: they also fit in the name of a host. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/;
const PREFIX_CHARS_MAX = 256;

export interface ObjectsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Parses `folder` or `s3://BUCKET/PREFIX?endpoint=…&region=…&path-style=…`. Credentials are settings of their own,
 * because the address may appear in a list of processes.
 *
 * @throws ConfigError
 */
export function objectsSettingOf(text: string, credentials: ObjectsCredentials): ObjectsSetting {
  if (text === FOLDER) return { kind: 'folder' };
  const url = /^s3:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new ConfigError('the object store must be "folder" or begin with s3://BUCKET');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigError(
      'the address of the object store must not contain a user, a password or a fragment: set QUIRE_OBJECTS_KEY_ID and QUIRE_OBJECTS_SECRET',
    );
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`unknown option ${unknown} of the object store: choose from ${OPTIONS.join(', ')}`);
  if (credentials.accessKeyId === '' || credentials.secretAccessKey === '')
    throw new ConfigError(
      'the object store needs credentials: set QUIRE_OBJECTS_KEY_ID and QUIRE_OBJECTS_SECRET',
    );
  return { kind: 's3', ...locationOf(url), ...endpointsOf(url.searchParams), ...credentials };
}

function locationOf(url: URL): Pick<S3Settings, 'bucket' | 'prefix'> {
  const { host: bucket, pathname } = url;
  if (!BUCKET.test(bucket))
    throw new ConfigError(
      `invalid bucket ${JSON.stringify(bucket)}: use 3 to 63 lower-case letters, digits, dots and hyphens`,
    );
  const path = withoutOuterSlashes(pathname);
  const prefix = path === '' ? '' : `${path}/`;
  if (!PREFIX.test(prefix) || prefix.length > PREFIX_CHARS_MAX)
    throw new ConfigError(
      `invalid prefix ${path} in the bucket: use letters, digits, "-", "_" and ".", and "/" in between`,
    );
  return { bucket, prefix };
}

function endpointsOf(
  options: URLSearchParams,
): Pick<S3Settings, 'endpoint' | 'publicEndpoint' | 'region' | 'pathStyle'> {
  const region = options.get('region') ?? REGION_DEFAULT;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(region))
    throw new ConfigError(`invalid region ${region} of the object store`);
  const given = options.get('endpoint');
  const endpoint = endpointOf('endpoint', given ?? `https://s3.${region}.amazonaws.com`);
  const publicEndpoint = endpointOf('public-endpoint', options.get('public-endpoint') ?? endpoint);
  return { endpoint, publicEndpoint, region, pathStyle: pathStyleOf(options, given !== null) };
}

function endpointOf(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return withoutEndSlashes(url.href);
  throw new ConfigError(`the ${name} of the object store must be an http or https address`);
}

/** Own stores rarely have a host name for each bucket; AWS has. */
function pathStyleOf(options: URLSearchParams, hasEndpoint: boolean): boolean {
  const text = options.get('path-style') ?? `${hasEndpoint}`;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigError(`path-style of the object store must be true or false, not ${text}`);
}
