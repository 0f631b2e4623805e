import { defineEvent } from '../../base/events/model.ts';

const AUDIT = { audit: { target: 'account', id: 'accountId' } } as const;

export const CODES_SET_UP = defineEvent<{ accountId: number }>('second-factor.codes-set-up', AUDIT);
export const CODES_REMOVED = defineEvent<{ accountId: number }>('second-factor.codes-removed', AUDIT);
export const RECOVERY_CODES_RENEWED = defineEvent<{ accountId: number }>(
  'second-factor.recovery-codes-renewed',
  AUDIT,
);
export const RECOVERY_CODE_USED = defineEvent<{ accountId: number; left: number }>(
  'second-factor.recovery-code-used',
  AUDIT,
);
export const PASSKEY_ADDED = defineEvent<{ accountId: number; passkeyId: number; name: string }>(
  'second-factor.passkey-added',
  AUDIT,
);
export const PASSKEY_REMOVED = defineEvent<{ accountId: number; passkeyId: number; name: string }>(
  'second-factor.passkey-removed',
  AUDIT,
);
/** All second factors of an account were removed at once. */
export const SECOND_FACTORS_RESET = defineEvent<{ accountId: number }>('second-factor.reset', AUDIT);
