import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { REPOSITORY_AVATAR } from '../../../src/hosting/repository-avatars/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/avatar`;

/** A picture is rejected after the authorization (422). */
export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'change picture',
      method: 'POST',
      url: URL,
      action: REPOSITORY.edit,
      sent: { json: { image: '' } },
    },
    { label: 'remove picture', method: 'DELETE', url: URL, action: REPOSITORY.edit },
  ],
  others: [
    {
      label: 'picture of a repository',
      method: 'GET',
      url: '/repo-avatars/:hash',
      action: REPOSITORY_AVATAR.read,
      isOfMissing: true,
    },
  ],
};
