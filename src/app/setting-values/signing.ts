import { resolve } from 'node:path';
import { isPlainLine } from '../../base/core/text/text.ts';
import type { ServerKeys } from '../../code/signing/model.ts';
import { requireEmail } from '../../people/accounts/profile.ts';
import { ConfigError } from '../config-error.ts';

/** How the server is to sign the commits that it makes. */
export interface SigningSettings {
  /** absolute; null: it does not */
  readonly keyFile: string | null;
  /** '' for none */
  readonly passphrase: string;
  readonly signer: ServerKeys['signer'];
  /** absolute */
  readonly formerKeyFiles: readonly string[];
}

/** @throws ConfigError */
export function signingSettingsOf({
  key,
  passphrase,
  name,
  email,
  formerKeys,
}: {
  readonly key: string;
  readonly passphrase: string;
  readonly name: string;
  readonly email: string;
  readonly formerKeys: readonly string[];
}): SigningSettings {
  try {
    requireEmail(email);
  } catch {
    throw new ConfigError(
      `the e-mail address of the signer must have the form name@example.org, not ${email}`,
    );
  }
  if (!isPlainLine(name)) throw new ConfigError('the name of the signer must be one line of text');
  return {
    keyFile: key === '' ? null : resolve(key),
    passphrase,
    signer: { name, email },
    formerKeyFiles: formerKeys.map((file) => resolve(file)),
  };
}
