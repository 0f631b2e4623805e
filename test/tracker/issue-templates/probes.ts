import { ISSUE_TEMPLATE } from '../../../src/tracker/issue-templates/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const action = ISSUE_TEMPLATE.read;

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'issue templates', method: 'GET', url: `${REPOSITORY_URL}/issue_templates`, action },
    { label: 'issue config', method: 'GET', url: `${REPOSITORY_URL}/issue_config`, action },
    { label: 'check issue config', method: 'GET', url: `${REPOSITORY_URL}/issue_config/validate`, action },
  ],
};
