import type { SignInState } from '../accounts/model.ts';

/** How a user proves who they are. */
export type Proof = 'password' | 'code' | 'recovery-code' | 'passkey' | 'external';

/** A browser that has signed in. */
export interface Session {
  readonly id: number;
  readonly accountId: number;
  /** Whether the browser keeps its cookie when it is closed. */
  readonly isRemembered: boolean;
  readonly proofs: readonly Proof[];
  /** of the browser at the sign-in */
  readonly userAgent: string;
  /** of the client; at most `seenLagMs` old */
  readonly address: string;
  /** ms */
  readonly createdAt: number;
  /** ms; when the user last proved who they are */
  readonly provedAt: number;
  /** ms; at most `seenLagMs` old */
  readonly seenAt: number;
  /** ms; when it ends if its browser sends nothing more */
  readonly endsAt: number;
}

/** A session with the current state of its account. */
export interface SessionBearer {
  readonly session: Session;
  /** `credentialVersion` of the account at the sign-in */
  readonly version: number;
  readonly account: SignInState;
}

/** A browser that signs in. */
export interface Browser {
  readonly userAgent: string;
  /** network address of the client */
  readonly address: string;
  /** whether it keeps its cookie when it is closed */
  readonly isRemembered: boolean;
}

/** A session that has begun. */
export interface StartedSession {
  readonly id: number;
  /** for the cookie; nothing else has it */
  readonly secret: string;
  readonly isRemembered: boolean;
}
