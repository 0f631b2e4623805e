import { PROTECTION } from '../../../src/code/protection/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const BRANCHES_URL = `${REPOSITORY_URL}/branch_protections`;
const TAGS_URL = `${REPOSITORY_URL}/tag_protections`;
const MISSING = { '*': 'missing' };

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list branch protections', method: 'GET', url: BRANCHES_URL, action: PROTECTION.read },
    {
      label: 'branch protection',
      method: 'GET',
      url: `${BRANCHES_URL}/*`,
      action: PROTECTION.read,
      filled: MISSING,
    },
    {
      label: 'protect branches',
      method: 'POST',
      url: BRANCHES_URL,
      action: PROTECTION.change,
      sent: { json: { rule_name: '[' } },
    },
    {
      label: 'edit branch protection',
      method: 'PATCH',
      url: `${BRANCHES_URL}/*`,
      action: PROTECTION.change,
      filled: MISSING,
      sent: { json: {} },
      isOfMissing: true,
    },
    {
      label: 'delete branch protection',
      method: 'DELETE',
      url: `${BRANCHES_URL}/*`,
      action: PROTECTION.change,
      filled: MISSING,
      isOfMissing: true,
    },
    { label: 'list tag protections', method: 'GET', url: TAGS_URL, action: PROTECTION.read },
    { label: 'tag protection', method: 'GET', url: `${TAGS_URL}/:id`, action: PROTECTION.read },
    {
      label: 'protect tags',
      method: 'POST',
      url: TAGS_URL,
      action: PROTECTION.change,
      sent: { json: { name_pattern: '[', whitelist_usernames: ['reader'] } },
    },
    {
      label: 'edit tag protection',
      method: 'PATCH',
      url: `${TAGS_URL}/:id`,
      action: PROTECTION.change,
      sent: { json: {} },
      isOfMissing: true,
    },
    {
      label: 'delete tag protection',
      method: 'DELETE',
      url: `${TAGS_URL}/:id`,
      action: PROTECTION.change,
      isOfMissing: true,
    },
  ],
};
