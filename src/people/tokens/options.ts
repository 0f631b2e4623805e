import { invalid } from '../../base/core/failure.ts';
import { readTime } from '../../http/time.ts';
import type { NewToken, RepositoryName, TokenFilter } from './model.ts';
import type { CreateAccessToken } from './schema.ts';

/** @throws ForgeError `invalid` */
export function newTokenOf(body: CreateAccessToken): NewToken {
  const { name, scopes = [], repositories, expires_at: text } = body;
  return { name, scopes, repositories: repositories?.map(repositoryNameOf), expiresAt: endOf(text) };
}

/** @throws ForgeError `invalid` */
export function tokenFilterOf(query: { scope?: string; repository?: string }): TokenFilter {
  const { scope = '', repository = '' } = query;
  return {
    scope: scope === '' ? undefined : scope,
    repository: repository === '' ? undefined : repositoryNameOf(repository),
  };
}

function endOf(text: string | null | undefined): number | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  const ms = readTime(text);
  if (ms === undefined) throw invalid('[ExpiresAt]: must be a time such as 2030-01-31T00:00:00Z');
  return ms;
}

function repositoryNameOf(named: string | RepositoryName): RepositoryName {
  if (typeof named !== 'string') return named;
  const [owner = '', name = '', ...rest] = named.split('/');
  if (owner === '' || name === '' || rest.length > 0) throw invalid('[Repositories]: must be owner/name');
  return { owner, name };
}
