/** Whose accounts need a second factor, whatever their users want. */
export const REQUIRED_OF = ['none', 'administrators', 'all'] as const;

export interface SecondFactorSettings {
  readonly requiredOf: (typeof REQUIRED_OF)[number];
}

export const NO_REQUIREMENT: SecondFactorSettings = { requiredOf: 'none' };

/** What an account has besides its password. */
export interface SecondFactorState {
  readonly hasCodes: boolean;
  readonly passkeys: number;
  /** recovery codes that are not used yet */
  readonly recoveryCodes: number;
}

/** One-time codes that a user is about to set up. */
export interface CodeSetup {
  /** base32 */
  readonly secret: string;
  /** for the app that makes the codes, with the secret in it. @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
  readonly address: string;
}

/** A key in a phone, a computer or a security key, which signs challenges of this server. */
export interface Passkey {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  /** as the authenticator names it, base64url */
  readonly credentialId: string;
  /** COSE key, base64url */
  readonly publicKey: string;
  /** number of uses that the authenticator has stated; 0 if it counts none */
  readonly counter: number;
  /** how browsers reach the authenticator, such as `usb` */
  readonly transports: readonly string[];
  /** ms */
  readonly createdAt: number;
  /** ms */
  readonly lastUsedAt: number | null;
}

/** What a challenge is for. An answer to one is worth nothing for another purpose. */
export type ChallengePurpose = 'register' | 'second-factor' | 'confirm' | 'sign-in';

/** What a browser asks an authenticator to sign. */
export interface PasskeyRequest {
  /** options of WebAuthn as JSON, for `PublicKeyCredential.parse…OptionsFromJSON` */
  readonly options: string;
  /** comes back with the answer */
  readonly challenge: string;
}

/** What a browser sends back. */
export interface PasskeyAnswer {
  /** of the request */
  readonly challenge: string;
  /** what the authenticator has signed, as JSON */
  readonly credential: string;
}

/** A code that was accepted. */
export type UsedCode = 'code' | 'recovery-code';
