import { Type } from 'typebox';
import { PagingQuery } from '../http/paging.ts';
import { RepositoryList } from '../repositories/schema.ts';

/** What is not sent asks for nothing; nor does a parameter without a value. */
export const SearchQuery = Type.Object({
  q: Type.Optional(Type.String()),
  topic: Type.Optional(Type.Boolean()),
  includeDesc: Type.Optional(Type.Boolean()),
  uid: Type.Optional(Type.Integer()),
  priority_owner_id: Type.Optional(Type.Integer()),
  team_id: Type.Optional(Type.Integer()),
  starredBy: Type.Optional(Type.Integer()),
  private: Type.Optional(Type.Boolean()),
  is_private: Type.Optional(Type.Boolean()),
  template: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  mode: Type.Optional(Type.String()),
  exclusive: Type.Optional(Type.Boolean()),
  sort: Type.Optional(Type.String()),
  order: Type.Optional(Type.String()),
  ...PagingQuery,
});

export const SearchResultsSchema = Type.Object(
  { ok: Type.Boolean(), data: RepositoryList },
  { $id: 'SearchResults' },
);
