import { DEPLOY_KEY, KEY } from '../../../src/code/keys/actions.ts';
import { SITE } from '../../../src/people/accounts/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const NO_KEY = { json: { key: '', title: '' } };
const DEPLOY_URL = `${REPOSITORY_URL}/keys`;

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list deploy keys', method: 'GET', url: DEPLOY_URL, action: DEPLOY_KEY.read },
    { label: 'deploy key', method: 'GET', url: `${DEPLOY_URL}/:id`, action: DEPLOY_KEY.read },
    {
      label: 'add deploy key',
      method: 'POST',
      url: DEPLOY_URL,
      action: DEPLOY_KEY.change,
      sent: NO_KEY,
    },
    {
      label: 'delete deploy key',
      method: 'DELETE',
      url: `${DEPLOY_URL}/:id`,
      action: DEPLOY_KEY.change,
      isOfMissing: true,
    },
  ],
  others: [
    { label: 'own SSH keys', method: 'GET', url: '/api/v1/user/keys', action: KEY.read },
    { label: 'SSH key', method: 'GET', url: '/api/v1/user/keys/:id', action: KEY.read },
    { label: 'add SSH key', method: 'POST', url: '/api/v1/user/keys', action: KEY.change, sent: NO_KEY },
    { label: 'delete SSH key', method: 'DELETE', url: '/api/v1/user/keys/:id', action: KEY.change },
    {
      label: 'SSH keys of a user',
      method: 'GET',
      url: '/api/v1/users/:username/keys',
      action: KEY.list,
      filled: { ':username': 'ada' },
    },
    { label: 'OpenPGP proof token', method: 'GET', url: '/api/v1/user/gpg_key_token', action: KEY.read },
    {
      label: 'prove OpenPGP key',
      method: 'POST',
      url: '/api/v1/user/gpg_key_verify',
      action: KEY.change,
      sent: { json: { key_id: '' } },
    },
    { label: 'own OpenPGP keys', method: 'GET', url: '/api/v1/user/gpg_keys', action: KEY.read },
    { label: 'own OpenPGP key', method: 'GET', url: '/api/v1/user/gpg_keys/:id', action: KEY.read },
    {
      label: 'add OpenPGP key',
      method: 'POST',
      url: '/api/v1/user/gpg_keys',
      action: KEY.change,
      sent: { json: { armored_public_key: '' } },
    },
    { label: 'delete OpenPGP key', method: 'DELETE', url: '/api/v1/user/gpg_keys/:id', action: KEY.change },
    {
      label: 'OpenPGP keys of a user',
      method: 'GET',
      url: '/api/v1/users/:username/gpg_keys',
      action: KEY.list,
      filled: { ':username': 'ada' },
    },
    {
      label: 'SSH keys as text',
      method: 'GET',
      url: '/:owner.keys',
      action: KEY.list,
      filled: { ':owner': 'ada' },
    },
    {
      label: 'OpenPGP keys as text',
      method: 'GET',
      url: '/:owner.gpg',
      action: KEY.list,
      filled: { ':owner': 'ada' },
    },
    {
      label: 'add SSH key for another',
      method: 'POST',
      url: '/api/v1/admin/users/:username/keys',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
      sent: NO_KEY,
    },
    {
      label: "delete another's SSH key",
      method: 'DELETE',
      url: '/api/v1/admin/users/:username/keys/:id',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
    },
  ],
};
