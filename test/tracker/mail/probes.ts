import { MAIL } from '../../../src/tracker/mail/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const URL = '/api/v1/user/mail';
const PAGE = '/-/mail/unsubscribe/:token';

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
  // The token in the address decides, and the probe has none.
  open: [`GET ${PAGE}`, `POST ${PAGE}`],
  ownOperations: ['quireGetMailSettings', 'quireEditMailSettings'],
};
