import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPlainLine } from '../../base/core/text/text.ts';
import { EXTERNAL_LIMITS } from '../../people/external/limits.ts';
import {
  ACCOUNT_CREATIONS,
  type AccountCreation,
  type GroupTeam,
  type ProviderSettings,
} from '../../people/external/model.ts';
import { isProtected } from '../../people/external/protected.ts';
import { OWNERS_TEAM } from '../../people/teams/model.ts';
import { ConfigError } from '../config-error.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Keys of a provider, as `docs/sign-in.md` lists them. */
export const PROVIDER_KEYS = [
  'name',
  'displayName',
  'issuer',
  'clientId',
  'clientSecret',
  'clientSecretFile',
  'scopes',
  'nameClaim',
  'groupsClaim',
  'groupTeams',
  'allowOwners',
  'adminGroup',
  'requiredGroups',
  'createAccounts',
  'linkByEmail',
] as const;
const KNOWN: ReadonlySet<string> = new Set(PROVIDER_KEYS);

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const SCOPE = /^[\u0021\u0023-\u005b\u005d-\u007e]+$/;

/**
 * Reads the file with the providers at which users sign in: a JSON array of objects. It is a file of its own, because it has
 * secrets.
 *
 * @param path '' for none
 * @throws ConfigError, which repeats no secret
 */
export function readProviders(path: string): readonly ProviderSettings[] {
  if (path === '') return [];
  const sent = parse(path);
  if (!Array.isArray(sent) || sent.length === 0)
    throw new ConfigError(`${path} must contain a JSON array with at least one provider`);
  if (sent.length > EXTERNAL_LIMITS.providersMax)
    throw new ConfigError(`${path} may have at most ${EXTERNAL_LIMITS.providersMax} providers`);
  const providers = sent.map((each, index) => providerOf(each, `provider ${index + 1} in ${path}`, path));
  if (new Set(providers.map(({ name }) => name)).size < providers.length)
    throw new ConfigError(`two providers in ${path} have the same name`);
  return providers;
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read the sign-in providers: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, which has secrets.
    throw new ConfigError(`${path} is not valid JSON`);
  }
}

function providerOf(sent: unknown, where: string, path: string): ProviderSettings {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ConfigError(`${where} must be an object`);
  const fields: Fields = { ...sent };
  const unknown = Object.keys(fields).find((key) => !KNOWN.has(key));
  if (unknown !== undefined)
    throw new ConfigError(`${where} has the unknown key ${unknown}: choose from ${PROVIDER_KEYS.join(', ')}`);
  const text = (key: string, fallback?: string) => textOf(fields, key, where, fallback);
  const name = text('name');
  if (!NAME.test(name))
    throw new ConfigError(`name of ${where} must have 1 to 40 lower-case letters, digits and hyphens`);
  const allowOwners = switchOf(fields, 'allowOwners', where);
  return {
    name,
    displayName: text('displayName', name),
    issuer: issuerOf(text('issuer'), where),
    clientId: text('clientId'),
    clientSecret: secretOf(fields, where, path),
    scopes: scopesOf(listOf(fields, 'scopes', where, ['openid', 'profile', 'email']), where),
    nameClaim: text('nameClaim', 'preferred_username'),
    groupsClaim: text('groupsClaim', 'groups'),
    groupTeams: groupTeamsOf(fields.groupTeams ?? {}, where, { allowOwners }),
    allowOwners,
    adminGroup: text('adminGroup', ''),
    requiredGroups: listOf(fields, 'requiredGroups', where, []),
    createAccounts: creationOf(text('createAccounts', 'never'), where),
    linkByEmail: switchOf(fields, 'linkByEmail', where),
  };
}

/** @param fallback absent: the key is required */
function textOf(fields: Fields, key: string, where: string, fallback?: string): string {
  const value = fields[key] ?? fallback;
  const isText = typeof value === 'string' && isPlainLine(value) && (value !== '' || fallback === '');
  if (isText) return value;
  throw new ConfigError(`${key} of ${where} must be one line of text`);
}

function switchOf(fields: Fields, key: string, where: string): boolean {
  const value = fields[key] ?? false;
  if (typeof value === 'boolean') return value;
  throw new ConfigError(`${key} of ${where} must be true or false`);
}

function listOf(fields: Fields, key: string, where: string, fallback: readonly string[]): readonly string[] {
  const value = fields[key] ?? fallback;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')) return value;
  throw new ConfigError(`${key} of ${where} must be an array of texts`);
}

function scopesOf(scopes: readonly string[], where: string): readonly string[] {
  const isValid = scopes.every((scope) => SCOPE.test(scope)) && scopes.includes('openid');
  if (isValid) return scopes;
  throw new ConfigError(`scopes of ${where} must be names without spaces, and one must be openid`);
}

function issuerOf(text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isProtected(url))
    throw new ConfigError(`issuer of ${where} must begin with https:// (http:// only on this machine)`);
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new ConfigError(`issuer of ${where} must not contain a user, a query or a fragment`);
  return text;
}

function secretOf(fields: Fields, where: string, path: string): string {
  const { clientSecret, clientSecretFile: file } = fields;
  if (file === undefined) return clientSecret === undefined ? '' : textOf(fields, 'clientSecret', where);
  if (clientSecret !== undefined)
    throw new ConfigError(`${where} must have clientSecret or clientSecretFile, not both`);
  try {
    const secret = readFileSync(
      resolve(dirname(path), textOf(fields, 'clientSecretFile', where)),
      'utf8',
    ).trim();
    if (secret !== '' && isPlainLine(secret)) return secret;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`cannot read clientSecretFile of ${where}: ${(error as Error).message}`);
  }
  throw new ConfigError(`clientSecretFile of ${where} must contain one line of text`);
}

/** Parses `{"group": "organization/team"}`; several teams are an array. */
function groupTeamsOf(
  sent: unknown,
  where: string,
  { allowOwners }: { readonly allowOwners: boolean },
): readonly GroupTeam[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ConfigError(`groupTeams of ${where} must be an object with the teams of each group`);
  const pairs = Object.entries(sent).flatMap(([group, teams]) =>
    [teams].flat().map((team): GroupTeam => {
      const [organization = '', name = '', ...rest] = typeof team === 'string' ? team.split('/') : [];
      if (organization === '' || name === '' || rest.length > 0)
        throw new ConfigError(
          `groupTeams of ${where} must name teams as organization/team, for group ${group}`,
        );
      if (name.toLowerCase() === OWNERS_TEAM.toLowerCase() && !allowOwners)
        throw new ConfigError(
          `groupTeams of ${where} gives the group ${group} an organization: set allowOwners to true if that is meant`,
        );
      return { group, organization, team: name };
    }),
  );
  if (pairs.length <= EXTERNAL_LIMITS.groupTeamsMax) return pairs;
  throw new ConfigError(`groupTeams of ${where} may name at most ${EXTERNAL_LIMITS.groupTeamsMax} teams`);
}

function creationOf(text: string, where: string): AccountCreation {
  const found = ACCOUNT_CREATIONS.find((each) => each === text);
  if (found !== undefined) return found;
  throw new ConfigError(`createAccounts of ${where} must be one of ${ACCOUNT_CREATIONS.join(', ')}`);
}
