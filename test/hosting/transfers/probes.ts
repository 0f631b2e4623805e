import { TRANSFER } from '../../../src/hosting/transfers/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'transfer',
      method: 'POST',
      url: `${REPOSITORY_URL}/transfer`,
      action: TRANSFER.transfer,
      sent: { json: { new_owner: 'zoe', team_ids: [1] } },
    },
  ],
  others: [
    {
      label: 'accept transfer',
      method: 'POST',
      url: `${REPOSITORY_URL}/transfer/accept`,
      action: TRANSFER.answerTransfer,
    },
    {
      label: 'reject transfer',
      method: 'POST',
      url: `${REPOSITORY_URL}/transfer/reject`,
      action: TRANSFER.answerTransfer,
    },
  ],
};
