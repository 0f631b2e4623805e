import { SITE } from '../../../src/people/accounts/actions.ts';
import { SECOND_FACTOR } from '../../../src/people/second-factor/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const SECURITY = '/user/settings/security';

export const PROBES: FeatureProbes = {
  ownOperations: ['adminResetSecondFactor'],
  open: ['POST /user/two_factor', 'GET /assets/:file'],
  others: [
    {
      label: "reset another's second factor",
      method: 'DELETE',
      url: '/api/v1/admin/users/:username/second-factor',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
      isOfMissing: true,
    },
    { label: 'security page', method: 'GET', url: SECURITY, action: SECOND_FACTOR.read },
    ...['two_factor/begin', 'two_factor/disable', 'two_factor/regenerate_scratch', 'webauthn/delete'].map(
      (form) => ({
        label: `back from ${form} to the security page`,
        method: 'GET' as const,
        url: `${SECURITY}/${form}`,
        action: SECOND_FACTOR.read,
      }),
    ),
    {
      label: 'begin one-time codes',
      method: 'POST',
      url: `${SECURITY}/two_factor/begin`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'page of one-time codes',
      method: 'GET',
      url: `${SECURITY}/two_factor/enroll`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'confirm one-time codes',
      method: 'POST',
      url: `${SECURITY}/two_factor/enroll`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'end one-time codes',
      method: 'POST',
      url: `${SECURITY}/two_factor/disable`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'new recovery codes',
      method: 'POST',
      url: `${SECURITY}/two_factor/regenerate_scratch`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'page of a new passkey',
      method: 'GET',
      url: `${SECURITY}/webauthn/register`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'add passkey',
      method: 'POST',
      url: `${SECURITY}/webauthn/register`,
      action: SECOND_FACTOR.change,
    },
    {
      label: 'remove passkey',
      method: 'POST',
      url: `${SECURITY}/webauthn/delete`,
      action: SECOND_FACTOR.change,
    },
  ],
};
