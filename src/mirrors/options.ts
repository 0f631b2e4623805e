import type { Static } from 'typebox';
import { invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import { type OutboundAddress, outboundAddressOf } from '../outbound/parse-url.ts';
import { descriptionOf, given } from '../repositories/creation/options.ts';
import { repositoryNameProblem } from '../repositories/names.ts';
import { mirrorIntervalOf } from '../repositories/settings/options.ts';
import type { Credentials, LargeFilesSource, WantedMigration } from './model.ts';
import type { MigrateBody } from './schema.ts';

type Body = Static<typeof MigrateBody>;

const SERVICES = ['git', 'github', 'gitea', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'forgejo'];
/** Besides the git data. A source that is plain git has none of them. */
const ITEMS = ['issues', 'labels', 'milestones', 'pull_requests', 'releases', 'wiki'] as const;
/** A service that takes a token ignores the name, or wants this one. */
const TOKEN_USERNAME = 'oauth2';

/**
 * Reads a request to copy a repository from another server.
 *
 * @throws ForgeError `invalid`
 */
export function migrationOf(body: Body): WantedMigration {
  requireItems(body);
  const nameProblem = repositoryNameProblem(body.repo_name);
  if (nameProblem !== undefined) throw invalid(nameProblem);
  const address = outboundAddressOf(body.clone_addr);
  if (address.url.search !== '') throw invalid('[CloneAddr]: the address cannot have a query');
  return {
    source: { url: address.url, credentials: credentialsOf(body, address), largeFiles: largeFilesOf(body) },
    owner: ownerOf(body),
    name: body.repo_name,
    description: descriptionOf(body.description),
    isPrivate: body.private ?? null,
    mirror: body.mirror === true ? { intervalMs: intervalOf(body.mirror_interval) } : null,
  };
}

/** Rejects what would silently stay behind. */
function requireItems(body: Body): void {
  const service = given(body.service?.toLowerCase()) ?? 'git';
  if (!SERVICES.includes(service)) throw invalid(`[Service]: In(${SERVICES.join(',')})`);
  const items = service === 'git' ? [] : ITEMS.filter((item) => body[item] === true);
  if (items.length > 0)
    throw invalid(`this server copies only the git data and large files: leave out ${items.join(', ')}`);
}

function ownerOf({ repo_owner: name, uid: id }: Body): WantedMigration['owner'] {
  if (name !== undefined && name !== '') return { name };
  return id === undefined || id === 0 ? null : { id };
}

function intervalOf(text: string | undefined): number {
  return text === undefined || text === '' ? LIMITS.mirrorIntervalMs : mirrorIntervalOf(text);
}

/** Fields come before the address, and a token before a password. */
function credentialsOf(body: Body, address: OutboundAddress): Credentials | null {
  const username = given(body.auth_username) ?? address.username;
  const token = given(body.auth_token);
  const password = token ?? given(body.auth_password) ?? address.password;
  if (username === '' && password === '') return null;
  // A colon ends the name, and control characters are not allowed: RFC 7617, section 2.
  if (/[\p{Cc}]/u.test(username + password) || username.includes(':'))
    throw invalid('the credentials cannot hold control characters, nor the name a colon');
  return { username: token !== undefined && username === '' ? TOKEN_USERNAME : username, password };
}

function largeFilesOf({ lfs, lfs_endpoint: endpoint }: Body): LargeFilesSource | null {
  if (lfs !== true) return null;
  const text = given(endpoint);
  if (text === undefined) return { url: null };
  const { url, username, password } = outboundAddressOf(text);
  if (username !== '' || password !== '')
    throw invalid('[LFSEndpoint]: the address cannot have credentials: those of the source are used there');
  return { url };
}
