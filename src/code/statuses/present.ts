import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { presentRepository, repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentOwner } from '../../people/accounts/present.ts';
import type { CombinedStatus, CommitStatus } from './model.ts';
import { CombinedStatusSchema, StatusSchema } from './schema.ts';

function presentStatus(
  status: CommitStatus,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof StatusSchema> {
  const { creator } = status;
  const time = wireTime(status.createdAt);
  return {
    id: status.number,
    status: status.state,
    target_url: status.targetUrl,
    description: status.description,
    url: `${repositoryAddresses(status.repository, addresses).url}/statuses/${status.commit}`,
    context: status.context,
    creator: creator === null ? null : presentOwner(creator, viewer, addresses),
    created_at: time,
    updated_at: time,
  };
}

function presentCombined(
  combined: CombinedStatus,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof CombinedStatusSchema> {
  const { permitted, commit } = combined;
  const { url } = repositoryAddresses(permitted.repository, addresses);
  return {
    state: combined.state ?? '',
    sha: commit,
    total_count: combined.total,
    statuses: combined.statuses.map((status) => presentStatus(status, viewer, addresses)),
    repository: presentRepository(permitted, viewer, addresses),
    commit_url: `${url}/git/commits/${commit}`,
    url: `${url}/commits/${commit}/status`,
  };
}

export const StatusAnswer = answerOf(StatusSchema, presentStatus);
export const CombinedStatusAnswer = answerOf(CombinedStatusSchema, presentCombined);
