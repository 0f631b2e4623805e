import { AUDIT } from '../../../src/people/audit/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: ['quireListAuditEntries', 'quireListAuditEntriesOfOrganization', 'quireListOwnAuditEntries'],
  organization: [
    {
      label: 'list audit entries',
      method: 'GET',
      url: `${ORGANIZATION_URL}/audit`,
      action: AUDIT.readOfOrganization,
    },
  ],
  others: [
    { label: 'audit entries of the site', method: 'GET', url: '/api/v1/admin/audit', action: AUDIT.readSite },
    { label: 'own audit entries', method: 'GET', url: '/api/v1/user/audit', action: AUDIT.readOwn },
  ],
};
