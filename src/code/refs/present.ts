import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { encodePath } from '../contents/present.ts';
import type { NamedRef } from './model.ts';
import { ReferenceSchema } from './schema.ts';

export function presentRef(
  { repository, name, oid, type }: NamedRef,
  _viewer: Viewer,
  addresses: Addresses,
): Static<typeof ReferenceSchema> {
  const { url } = repositoryAddresses(repository, addresses);
  return {
    ref: name,
    url: `${url}/git/${encodePath(name)}`,
    object: { type, sha: oid, url: `${url}/git/${type}s/${oid}` },
  };
}

export const RefAnswer = answerOf(ReferenceSchema, presentRef);
