import { TEMPLATE_REPOSITORY } from '../../../src/hosting/template-repositories/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'generate from template',
      method: 'POST',
      url: '/api/v1/repos/:template_owner/:template_repo/generate',
      action: TEMPLATE_REPOSITORY.generate,
      sent: { json: { name: 'not a name', owner: 'nobody', git_content: true } },
    },
  ],
};
