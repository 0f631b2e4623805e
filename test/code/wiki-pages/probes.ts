import { WIKI } from '../../../src/hosting/wikis/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const PAGE_URL = `${REPOSITORY_URL}/wiki/page/:pageName`;
const MISSING = { ':pageName': 'Missing' };

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list wiki pages', method: 'GET', url: `${REPOSITORY_URL}/wiki/pages`, action: WIKI.read },
    {
      label: 'wiki page',
      method: 'GET',
      url: PAGE_URL,
      action: WIKI.read,
      filled: MISSING,
      isOfMissing: true,
    },
    {
      label: 'revisions of a wiki page',
      method: 'GET',
      url: `${REPOSITORY_URL}/wiki/revisions/:pageName`,
      action: WIKI.read,
      filled: MISSING,
      isOfMissing: true,
    },
    {
      label: 'create wiki page',
      method: 'POST',
      url: `${REPOSITORY_URL}/wiki/new`,
      action: WIKI.beginEdit,
      neededLevel: 'write',
      sent: { json: { title: 'raw' } },
    },
    {
      label: 'edit wiki page',
      method: 'PATCH',
      url: PAGE_URL,
      action: WIKI.beginEdit,
      neededLevel: 'write',
      filled: MISSING,
      sent: { json: { title: 'New' } },
      isOfMissing: true,
    },
    {
      label: 'delete wiki page',
      method: 'DELETE',
      url: PAGE_URL,
      action: WIKI.beginEdit,
      neededLevel: 'write',
      filled: MISSING,
      isOfMissing: true,
    },
  ],
};
