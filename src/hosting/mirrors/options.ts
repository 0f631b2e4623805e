import type { Static } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { type OutboundAddress, outboundAddressOf } from '../../base/outbound/parse-url.ts';
import { descriptionOf, given } from '../repositories/creation/options.ts';
import { repositoryNameProblem } from '../repositories/names.ts';
import { mirrorIntervalOf } from '../repositories/settings/options.ts';
import { MIRROR_LIMITS } from './limits.ts';
import {
  type Credentials,
  type FamilyItems,
  type LargeFilesSource,
  NO_AUTHORS,
  type WantedMigration,
} from './model.ts';
import type { MigrateBody } from './schema.ts';

type Body = Static<typeof MigrateBody>;

const SERVICES = ['git', 'github', 'gitea', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'forgejo'];
/** Services with an API like that of this server. */
const FAMILY = ['gitea', 'forgejo'];
/** Records that a source may have in addition to the git data. A plain git server has none. */
const ITEMS = ['issues', 'labels', 'milestones', 'pull_requests', 'releases'] as const;
/** The records that are copied from a server of the family. */
const TAKEN = ['issues', 'labels', 'milestones', 'pull_requests', 'releases'];
/** A service that takes a token ignores the name, or expects this one. */
export const TOKEN_USERNAME = 'oauth2';

/**
 * Reads a request to copy a repository from another server.
 *
 * @throws ForgeError `invalid`
 */
export function migrationOf(body: Body): WantedMigration {
  const family = familyOf(body);
  const nameProblem = repositoryNameProblem(body.repo_name);
  if (nameProblem !== undefined) throw invalid(nameProblem);
  const address = outboundAddressOf(body.clone_addr);
  if (address.url.search !== '') throw invalid('[CloneAddr]: the address cannot have a query');
  return {
    source: { url: address.url, credentials: credentialsOf(body, address), largeFiles: largeFilesOf(body) },
    owner: ownerOf(body),
    name: body.repo_name,
    description: descriptionOf(body.description),
    family,
    hasWiki: body.wiki === true,
    isPrivate: body.private ?? null,
    mirror: body.mirror === true ? { intervalMs: intervalOf(body.mirror_interval) } : null,
  };
}

/** Rejects records that the copy would silently leave out. */
function familyOf(body: Body): FamilyItems | null {
  const service = given(body.service?.toLowerCase()) ?? 'git';
  if (!SERVICES.includes(service)) throw invalid(`[Service]: In(${SERVICES.join(',')})`);
  const isFamily = FAMILY.includes(service);
  const items = service === 'git' ? [] : ITEMS.filter((item) => body[item] === true);
  const left = isFamily && body.mirror !== true ? items.filter((item) => !TAKEN.includes(item)) : items;
  if (left.length > 0) {
    const taken = isFamily
      ? 'the wiki, issues, pull requests, labels, milestones and releases, and for a mirror the wiki alone'
      : 'large files and the wiki';
    throw invalid(`besides the git data, this server copies ${taken}: leave out ${left.join(', ')}`);
  }
  if (!isFamily) return null;
  const isWanted = (item: (typeof ITEMS)[number]) => items.includes(item);
  return {
    labels: isWanted('labels'),
    milestones: isWanted('milestones'),
    issues: isWanted('issues'),
    pulls: isWanted('pull_requests'),
    releases: isWanted('releases'),
    authors: NO_AUTHORS,
  };
}

function ownerOf({ repo_owner: name, uid: id }: Body): WantedMigration['owner'] {
  if (name !== undefined && name !== '') return { name };
  return id === undefined || id === 0 ? null : { id };
}

/**
 * Parses the time between updates of a new mirror.
 *
 * @throws ForgeError `invalid`
 */
export function intervalOf(text: string | undefined): number {
  return text === undefined || text === '' ? MIRROR_LIMITS.mirrorIntervalMs : mirrorIntervalOf(text);
}

/** A token has priority over a password. */
function credentialsOf(body: Body, address: OutboundAddress): Credentials | null {
  const username = given(body.auth_username);
  const token = given(body.auth_token);
  if (token === undefined) return credentialsFor(address, { username, password: given(body.auth_password) });
  const isNamed = username !== undefined || address.username !== '';
  return credentialsFor(address, { username: isNamed ? username : TOKEN_USERNAME, password: token });
}

/**
 * Returns the credentials for another server. Fields of the request have priority over the address.
 *
 * @throws ForgeError `invalid`
 */
export function credentialsFor(
  address: OutboundAddress,
  fields: { readonly username: string | undefined; readonly password: string | undefined },
): Credentials | null {
  const { username = address.username, password = address.password } = fields;
  if (username === '' && password === '') return null;
  // A colon ends the name, and control characters are not allowed: RFC 7617, section 2.
  if (/[\p{Cc}]/u.test(username + password) || username.includes(':'))
    throw invalid('the credentials cannot hold control characters, nor the name a colon');
  return { username, password };
}

function largeFilesOf({ lfs, lfs_endpoint: endpoint }: Body): LargeFilesSource | null {
  if (lfs !== true) return null;
  const text = given(endpoint);
  if (text === undefined) return { url: null };
  const { url, username, password } = outboundAddressOf(text);
  if (username !== '' || password !== '')
    throw invalid(
      '[LFSEndpoint]: the address cannot have credentials: those of the source are used on the same server',
    );
  return { url };
}
