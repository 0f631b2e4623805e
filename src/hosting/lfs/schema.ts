import { Type } from 'typebox';

export const RepositoryParams = Type.Object({ owner: Type.String(), repo: Type.String() });
export const ObjectParams = Type.Object({ ...RepositoryParams.properties, oid: Type.String() });
export const NamedObjectParams = Type.Object({ ...ObjectParams.properties, filename: Type.String() });
export const SizedObjectParams = Type.Object({ ...ObjectParams.properties, size: Type.String() });
export const LockParams = Type.Object({ ...RepositoryParams.properties, id: Type.Integer() });

/** The form of ids and sizes is checked for each object, so that one malformed object does not reject a batch. */
export const ObjectBody = Type.Object({ oid: Type.String(), size: Type.Number() });

export const BatchBody = Type.Object({
  operation: Type.Union([Type.Literal('download'), Type.Literal('upload')]),
  transfers: Type.Optional(Type.Array(Type.String())),
  objects: Type.Optional(Type.Array(ObjectBody)),
});

export const LocksQuery = Type.Object({
  id: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
});

export const LockBody = Type.Object({ path: Type.String() });

export const VerifyLocksBody = Type.Object({
  cursor: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  limit: Type.Optional(Type.Number()),
});

export const UnlockBody = Type.Object({ force: Type.Optional(Type.Boolean()) });
