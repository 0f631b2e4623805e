import { WEBHOOK } from '../../../src/tracker/webhooks/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL, type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const NO_TYPE = { json: { type: 'none', config: {} } } as const;

/** Requests for the webhooks of one place, which are the same everywhere. */
function probesAt(
  url: string,
  whose: string,
  { read, change }: { read: Probe['action']; change: Probe['action'] },
): readonly Probe[] {
  const deliveries = `${url}/:id/deliveries`;
  const ofMissing = { isOfMissing: true, filled: { ':delivery': '999999' } } as const;
  return [
    { label: `list webhooks ${whose}`, method: 'GET', url, action: read },
    { label: `add webhook ${whose}`, method: 'POST', url, action: change, sent: NO_TYPE },
    { label: `read webhook ${whose}`, method: 'GET', url: `${url}/:id`, action: read, ...ofMissing },
    {
      label: `change webhook ${whose}`,
      method: 'PATCH',
      url: `${url}/:id`,
      action: change,
      sent: { json: {} },
      ...ofMissing,
    },
    { label: `delete webhook ${whose}`, method: 'DELETE', url: `${url}/:id`, action: change, ...ofMissing },
    { label: `list deliveries ${whose}`, method: 'GET', url: deliveries, action: read, ...ofMissing },
    {
      label: `read delivery ${whose}`,
      method: 'GET',
      url: `${deliveries}/:delivery`,
      action: read,
      ...ofMissing,
    },
    {
      label: `repeat delivery ${whose}`,
      method: 'POST',
      url: `${deliveries}/:delivery/redeliver`,
      action: change,
      ...ofMissing,
    },
    {
      label: `repeat deliveries ${whose}`,
      method: 'POST',
      url: `${deliveries}/redeliver`,
      action: change,
      query: '?since=2020-01-01T00:00:00Z',
      ...ofMissing,
    },
  ];
}

const HOOKS_URL = `${REPOSITORY_URL}/hooks`;
const GIT_HOOKS_URL = `${HOOKS_URL}/git`;

export const PROBES: FeatureProbes = {
  repository: [
    ...probesAt(HOOKS_URL, 'of repository', WEBHOOK),
    {
      label: 'test webhook',
      method: 'POST',
      url: `${HOOKS_URL}/:id/tests`,
      action: WEBHOOK.change,
      isOfMissing: true,
    },
    { label: 'list git hooks', method: 'GET', url: GIT_HOOKS_URL, action: WEBHOOK.read, isOfMissing: true },
    {
      label: 'read git hook',
      method: 'GET',
      url: `${GIT_HOOKS_URL}/:hook`,
      action: WEBHOOK.read,
      isOfMissing: true,
    },
    {
      label: 'change git hook',
      method: 'PATCH',
      url: `${GIT_HOOKS_URL}/:hook`,
      action: WEBHOOK.change,
      sent: { json: {} },
      isOfMissing: true,
    },
    {
      label: 'delete git hook',
      method: 'DELETE',
      url: `${GIT_HOOKS_URL}/:hook`,
      action: WEBHOOK.change,
      isOfMissing: true,
    },
  ],
  organization: probesAt(`${ORGANIZATION_URL}/hooks`, 'of organization', {
    read: WEBHOOK.readOfOrganization,
    change: WEBHOOK.changeOfOrganization,
  }),
  others: [
    ...probesAt('/api/v1/user/hooks', 'of user', { read: WEBHOOK.readOwn, change: WEBHOOK.changeOwn }),
    ...probesAt('/api/v1/admin/hooks', 'of site', {
      read: WEBHOOK.readOfSite,
      change: WEBHOOK.changeOfSite,
    }),
  ],
  ownOperations: ['Repository', 'Organization', 'User', 'Site'].flatMap((of) => [
    `quireListHookDeliveriesOf${of}`,
    `quireGetHookDeliveryOf${of}`,
    `quireRedeliverHookDeliveryOf${of}`,
    `quireRedeliverHookEventsOf${of}`,
  ]),
};
