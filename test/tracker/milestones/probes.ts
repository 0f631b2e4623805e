import { MILESTONE } from '../../../src/tracker/milestones/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/milestones`;
const MISSING = { ':milestone': '999999' };

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list milestones', method: 'GET', url: URL, action: MILESTONE.read },
    {
      label: 'milestone',
      method: 'GET',
      url: `${URL}/:milestone`,
      action: MILESTONE.read,
      filled: MISSING,
    },
    {
      label: 'create milestone',
      method: 'POST',
      url: URL,
      action: MILESTONE.change,
      sent: { json: { title: '' } },
    },
    {
      label: 'edit milestone',
      method: 'PATCH',
      url: `${URL}/:milestone`,
      action: MILESTONE.change,
      filled: MISSING,
      sent: { json: {} },
      isOfMissing: true,
    },
    {
      label: 'delete milestone',
      method: 'DELETE',
      url: `${URL}/:milestone`,
      action: MILESTONE.change,
      filled: MISSING,
      isOfMissing: true,
    },
  ],
};
