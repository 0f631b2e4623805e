import { defineEvent } from '../../base/events/model.ts';

interface KeyOfAccount {
  readonly accountId: number;
  readonly keyId: number;
  readonly fingerprint: string;
}

export const SSH_KEY_CREATED = defineEvent<KeyOfAccount & { readonly title: string }>('ssh-key.created', {
  audit: { target: 'ssh-key', id: 'keyId', name: 'fingerprint' },
});
export const SSH_KEY_DELETED = defineEvent<KeyOfAccount>('ssh-key.deleted', {
  audit: { target: 'ssh-key', id: 'keyId', name: 'fingerprint' },
});

interface KeyOfRepository {
  readonly deployKeyId: number;
  readonly fingerprint: string;
  readonly isReadOnly: boolean;
}

export const DEPLOY_KEY_CREATED = defineEvent<KeyOfRepository & { readonly title: string }>(
  'deploy-key.created',
  { audit: { target: 'deploy-key', id: 'deployKeyId', name: 'fingerprint' } },
);
export const DEPLOY_KEY_DELETED = defineEvent<KeyOfRepository>('deploy-key.deleted', {
  audit: { target: 'deploy-key', id: 'deployKeyId', name: 'fingerprint' },
});

export const OPENPGP_KEY_CREATED = defineEvent<KeyOfAccount & { readonly isProved: boolean }>(
  'openpgp-key.created',
  { audit: { target: 'openpgp-key', id: 'keyId', name: 'fingerprint' } },
);
/** The user has proved to possess the key. */
export const OPENPGP_KEY_PROVED = defineEvent<KeyOfAccount>('openpgp-key.proved', {
  audit: { target: 'openpgp-key', id: 'keyId', name: 'fingerprint' },
});
export const OPENPGP_KEY_DELETED = defineEvent<KeyOfAccount>('openpgp-key.deleted', {
  audit: { target: 'openpgp-key', id: 'keyId', name: 'fingerprint' },
});
