import { MIGRATION, MIRROR, OWN_MIGRATION } from '../../../src/hosting/mirrors/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: [
    'repoConvert',
    'userCurrentDeleteRepoMigration',
    'userCurrentGetRepoMigration',
    'userCurrentListRepoMigrations',
  ],
  repository: [
    { label: 'update mirror', method: 'POST', url: `${REPOSITORY_URL}/mirror-sync`, action: MIRROR.sync },
    { label: 'convert mirror', method: 'POST', url: `${REPOSITORY_URL}/convert`, action: MIRROR.convert },
  ],
  others: [
    {
      label: 'migrate repository',
      method: 'POST',
      url: '/api/v1/repos/migrate',
      action: MIGRATION.migrate,
      sent: { json: { clone_addr: 'file:///etc', repo_name: 'engine' } },
    },
    {
      label: 'list own migrations',
      method: 'GET',
      url: '/api/v1/user/migrations',
      action: OWN_MIGRATION.read,
    },
    {
      label: 'read own migration',
      method: 'GET',
      url: '/api/v1/user/migrations/:id',
      action: OWN_MIGRATION.read,
    },
    {
      label: 'cancel own migration',
      method: 'DELETE',
      url: '/api/v1/user/migrations/:id',
      action: OWN_MIGRATION.cancel,
    },
  ],
};
