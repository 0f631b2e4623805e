import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { RepositorySchema } from '../repositories/schema.ts';

/** Parameters of a search. A missing or empty parameter excludes no repository. */
export const SearchQuery = {
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
};

const SearchResultsSchema = Type.Object(
  { ok: Type.Boolean(), data: Type.Array(reference(RepositorySchema)) },
  { $id: 'SearchResults' },
);
export const SearchResults = reference(SearchResultsSchema);
