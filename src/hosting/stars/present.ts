import { answerOf } from '../../api/operations/answers.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import type { Repository } from '../repositories/model.ts';
import { repositoryAddresses } from '../repositories/present.ts';
import { type WatchInfo, WatchInfoSchema } from './schema.ts';

/** Presents a watched repository. As in the reference, the time is that of the repository's creation. */
export function presentWatch(repository: Repository, addresses: Addresses): WatchInfo {
  const { url } = repositoryAddresses(repository, addresses);
  return {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: wireTime(repository.createdAt),
    url: `${url}/subscription`,
    repository_url: url,
  };
}

export const WatchAnswer = answerOf(WatchInfoSchema, (repository: Repository, _viewer, addresses) =>
  presentWatch(repository, addresses),
);
