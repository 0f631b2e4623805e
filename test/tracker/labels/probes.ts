import { LABEL } from '../../../src/tracker/labels/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL, type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const BAD = { json: { name: '', color: 'none' } };

function probesAt(
  url: string,
  what: string,
  actions: Pick<Probe, 'action'> & { change: Probe['action'] },
): Probe[] {
  const { action, change } = actions;
  return [
    { label: `list ${what}s`, method: 'GET', url, action },
    { label: what, method: 'GET', url: `${url}/:id`, action },
    { label: `create ${what}`, method: 'POST', url, action: change, sent: BAD },
    {
      label: `edit ${what}`,
      method: 'PATCH',
      url: `${url}/:id`,
      action: change,
      sent: { json: {} },
      isOfMissing: true,
    },
    {
      label: `delete ${what}`,
      method: 'DELETE',
      url: `${url}/:id`,
      action: change,
      isOfMissing: true,
    },
  ];
}

export const PROBES: FeatureProbes = {
  repository: probesAt(`${REPOSITORY_URL}/labels`, 'label', { action: LABEL.read, change: LABEL.change }),
  organization: probesAt(`${ORGANIZATION_URL}/labels`, 'organization label', {
    action: LABEL.readOfOrganization,
    change: LABEL.changeOfOrganization,
  }),
};
