import { NOTE } from '../../src/notes/actions.ts';
import type { FeatureProbes } from '../access/probe.ts';

const NOTES_URL = '/apps/notes/api/v1/notes';

export const PROBES: FeatureProbes = {
  others: [
    { label: 'list notes', method: 'GET', url: NOTES_URL, action: NOTE.read },
    { label: 'read note', method: 'GET', url: `${NOTES_URL}/:id(^\\d+$)`, action: NOTE.read },
    {
      label: 'create note',
      method: 'POST',
      url: NOTES_URL,
      action: NOTE.write,
      sent: { json: { title: 'n' } },
    },
    {
      label: 'update note',
      method: 'PUT',
      url: `${NOTES_URL}/:id(^\\d+$)`,
      action: NOTE.write,
      sent: { json: {} },
    },
    { label: 'delete note', method: 'DELETE', url: `${NOTES_URL}/:id(^\\d+$)`, action: NOTE.write },
  ],
  open: [
    'GET /ocs/v1.php/cloud/capabilities',
    'GET /ocs/v2.php/cloud/capabilities',
    'GET /apps/notes/api/*',
    'POST /apps/notes/api/*',
    'PUT /apps/notes/api/*',
    'PATCH /apps/notes/api/*',
    'DELETE /apps/notes/api/*',
    'OPTIONS /apps/notes/api/*',
  ],
};
