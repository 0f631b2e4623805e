import { AVATAR } from '../../../src/people/avatars/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL } from '../../api/access/probe.ts';

const NO_PICTURE = { json: { image: '' } };

/** A picture is rejected after the authorization (422). */
export const PROBES: FeatureProbes = {
  organization: [
    {
      label: 'change picture',
      method: 'POST',
      url: `${ORGANIZATION_URL}/avatar`,
      action: AVATAR.changeOf,
      sent: NO_PICTURE,
    },
    {
      label: 'remove picture',
      method: 'DELETE',
      url: `${ORGANIZATION_URL}/avatar`,
      action: AVATAR.changeOf,
    },
  ],
  others: [
    {
      label: 'change own picture',
      method: 'POST',
      url: '/api/v1/user/avatar',
      action: AVATAR.change,
      sent: NO_PICTURE,
    },
    { label: 'remove own picture', method: 'DELETE', url: '/api/v1/user/avatar', action: AVATAR.change },
  ],
};
