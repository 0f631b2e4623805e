import { NOTE } from '../../../src/notes/notebooks/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const API = '/apps/notes/api';
const ATTACHMENT = `${API}/v1.4/attachment/:id(^\\d+$)`;
const NOTE_URL = `${API}/v1/notes/:id(^\\d+$)`;
const VERSION_URL = `${NOTE_URL}/history/:version(^[0-9a-f]{40,64}$)`;
const VERSION = { ':version': '0'.repeat(40) };

export const PROBES: FeatureProbes = {
  others: [
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
      label: `unknown path of notes, ${method}`,
      method,
      url: `${API}/*`,
      action: NOTE.read,
    })),
    ...['v1', 'v0.2'].flatMap((version) => probesOf(version)),
    { label: 'list deleted notes', method: 'GET', url: `${API}/v1/notes/deleted`, action: NOTE.read },
    { label: 'restore deleted note', method: 'POST', url: `${NOTE_URL}/restore`, action: NOTE.write },
    { label: 'list history of note', method: 'GET', url: `${NOTE_URL}/history`, action: NOTE.read },
    { label: 'read version of note', method: 'GET', url: VERSION_URL, action: NOTE.read, filled: VERSION },
    {
      label: 'compare versions of note',
      method: 'GET',
      url: `${VERSION_URL}/diff`,
      action: NOTE.read,
      filled: VERSION,
    },
    {
      label: 'restore version of note',
      method: 'POST',
      url: `${VERSION_URL}/restore`,
      action: NOTE.write,
      filled: VERSION,
    },
    {
      label: 'search notes',
      method: 'GET',
      url: `${API}/v1/notes/search`,
      action: NOTE.read,
      query: '?q=engine',
    },
    { label: 'get attachment', method: 'GET', url: ATTACHMENT, action: NOTE.read },
    {
      label: 'upload attachment',
      method: 'POST',
      url: ATTACHMENT,
      action: NOTE.write,
      sent: { body: '--b--', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
    },
    ...['v1', 'v1.4'].flatMap((version) => [
      {
        label: `read settings of notes, ${version}`,
        method: 'GET' as const,
        url: `${API}/${version}/settings`,
        action: NOTE.read,
      },
      {
        label: `change settings of notes, ${version}`,
        method: 'PUT' as const,
        url: `${API}/${version}/settings`,
        action: NOTE.write,
        sent: { json: {} },
      },
    ]),
  ],
  open: [
    'GET /ocs/v1.php/cloud/capabilities',
    'GET /ocs/v2.php/cloud/capabilities',
    'OPTIONS /apps/notes/api/*',
  ],
};

function probesOf(version: string): NonNullable<FeatureProbes['others']> {
  const url = `${API}/${version}/notes`;
  return [
    { label: `list notes, ${version}`, method: 'GET', url, action: NOTE.read },
    { label: `read note, ${version}`, method: 'GET', url: `${url}/:id(^\\d+$)`, action: NOTE.read },
    {
      label: `create note, ${version}`,
      method: 'POST',
      url,
      action: NOTE.write,
      sent: { json: { title: 'n' } },
    },
    {
      label: `update note, ${version}`,
      method: 'PUT',
      url: `${url}/:id(^\\d+$)`,
      action: NOTE.write,
      sent: { json: {} },
    },
    { label: `delete note, ${version}`, method: 'DELETE', url: `${url}/:id(^\\d+$)`, action: NOTE.write },
  ];
}
