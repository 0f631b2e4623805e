import { MAIL } from '../../../src/tracker/mail/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const URL = '/api/v1/user/mail';

export const PROBES: FeatureProbes = {
  others: [
    { label: 'mail settings', method: 'GET', url: URL, action: MAIL.readSettings },
    {
      label: 'edit mail settings',
      method: 'PATCH',
      url: URL,
      action: MAIL.changeSettings,
      sent: { json: { notifications: 'own' } },
    },
  ],
  ownOperations: ['quireGetMailSettings', 'quireEditMailSettings'],
};
