import { invalid } from '../../base/core/failure.ts';
import type { NewToken, RepositoryName } from './model.ts';
import type { CreateAccessToken } from './schema.ts';

/** @throws ForgeError `invalid` */
export function newTokenOf(body: CreateAccessToken): NewToken {
  const { name, scopes = [], repositories } = body;
  return { name, scopes, repositories: repositories?.map(repositoryNameOf) };
}

function repositoryNameOf(named: string | RepositoryName): RepositoryName {
  if (typeof named !== 'string') return named;
  const [owner = '', name = '', ...rest] = named.split('/');
  if (owner === '' || name === '' || rest.length > 0) throw invalid('[Repositories]: must be owner/name');
  return { owner, name };
}
