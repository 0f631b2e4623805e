import { RELEASE } from '../../../src/tracker/releases/actions.ts';
import { type FeatureProbes, type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/releases`;
const ONE = `${URL}/:id`;
const BY_TAG = `${URL}/tags/*`;
const ASSETS = `${ONE}/assets`;
const ASSET = `${ASSETS}/:attachment_id`;
const MISSING = { filled: { ':attachment_id': '999999' }, isOfMissing: true } as const;
const FILE = {
  query: '?name=a.txt',
  sent: { headers: { 'content-type': 'application/octet-stream' }, body: 'Text' },
};

const ASSET_PROBES: readonly Probe[] = [
  { label: 'assets of release', method: 'GET', url: ASSETS, action: RELEASE.read, ...MISSING },
  { label: 'add asset', method: 'POST', url: ASSETS, action: RELEASE.change, ...FILE, ...MISSING },
  { label: 'asset of release', method: 'GET', url: ASSET, action: RELEASE.read, ...MISSING },
  {
    label: 'edit asset',
    method: 'PATCH',
    url: ASSET,
    action: RELEASE.change,
    sent: { json: {} },
    ...MISSING,
  },
  { label: 'delete asset', method: 'DELETE', url: ASSET, action: RELEASE.change, ...MISSING },
  {
    label: 'download asset',
    method: 'GET',
    url: '/:owner/:repo/releases/download/*',
    action: RELEASE.read,
    filled: { '*': 'v9/a.txt' },
    isOfMissing: true,
  },
  {
    label: 'download latest asset',
    method: 'GET',
    url: '/:owner/:repo/releases/latest/download/:asset',
    action: RELEASE.read,
    filled: { ':asset': 'a.txt' },
    isOfMissing: true,
  },
];

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list releases', method: 'GET', url: URL, action: RELEASE.read },
    { label: 'latest release', method: 'GET', url: `${URL}/latest`, action: RELEASE.read, ...MISSING },
    { label: 'release', method: 'GET', url: ONE, action: RELEASE.read, ...MISSING },
    { label: 'release by tag', method: 'GET', url: BY_TAG, action: RELEASE.read, ...MISSING },
    {
      label: 'create release',
      method: 'POST',
      url: URL,
      action: RELEASE.create,
      sent: { json: { tag_name: '' } },
    },
    {
      label: 'edit release',
      method: 'PATCH',
      url: ONE,
      action: RELEASE.change,
      sent: { json: {} },
      ...MISSING,
    },
    { label: 'delete release', method: 'DELETE', url: ONE, action: RELEASE.delete, ...MISSING },
    { label: 'delete release by tag', method: 'DELETE', url: BY_TAG, action: RELEASE.delete, ...MISSING },
    ...ASSET_PROBES,
  ],
};
