import type { Addresses } from '../http/app.ts';
import { wireTime } from '../http/time.ts';
import type { Repository } from '../repositories/model.ts';
import { repositoryAddresses } from '../repositories/present.ts';
import type { WatchInfo } from './schema.ts';

/** What is said of a repository that is watched. As the reference has it, the time is that of the repository. */
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
