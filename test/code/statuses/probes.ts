import { STATUS } from '../../../src/code/statuses/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'create status',
      method: 'POST',
      url: `${REPOSITORY_URL}/statuses/:sha`,
      action: STATUS.create,
      filled: { ':sha': 'main' },
      sent: { json: { state: 'success' } },
    },
    {
      label: 'list statuses',
      method: 'GET',
      url: `${REPOSITORY_URL}/statuses/:sha`,
      action: STATUS.list,
      filled: { ':sha': 'COMMIT' },
    },
    {
      label: 'list statuses by ref',
      method: 'GET',
      url: `${REPOSITORY_URL}/commits/:ref/statuses`,
      action: STATUS.list,
      filled: { ':ref': 'main' },
    },
    {
      label: 'combined status',
      method: 'GET',
      url: `${REPOSITORY_URL}/commits/:ref/status`,
      action: STATUS.list,
      filled: { ':ref': 'main' },
    },
  ],
};
