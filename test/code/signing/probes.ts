import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const SSH_FILES = ['signing-key.ssh', 'signing-key.pub'];

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'signing key',
      method: 'GET',
      url: `${REPOSITORY_URL}/signing-key.gpg`,
      action: REPOSITORY.read,
    },
    // The server of the test has no key.
    ...SSH_FILES.map((file) => ({
      label: file,
      method: 'GET',
      url: `${REPOSITORY_URL}/${file}`,
      action: REPOSITORY.read,
      isOfMissing: true as const,
    })),
  ],
  open: ['signing-key.gpg', ...SSH_FILES].map((file) => `GET /api/v1/${file}`),
  ownOperations: ['getSSHSigningKey', 'repoSSHSigningKey', 'getSigningKeySSH', 'repoSigningKeySSH'],
};
