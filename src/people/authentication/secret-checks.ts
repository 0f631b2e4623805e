import { forbidden } from '../../base/core/failure.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import type { SignInAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { UsedCode } from '../second-factor/model.ts';
import type { SecondFactors } from '../second-factor/service.ts';
import { type AttemptClock, SignInAttempts } from './attempts.ts';
import { passwordsAreOff } from './credentials.ts';
import type { SignInSettings } from './settings.ts';
import type { SignInLog } from './sign-in-log.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly secondFactors: SecondFactors;
  readonly settings: SignInSettings;
  readonly log: SignInLog;
  readonly clock: AttemptClock | undefined;
}

/** Stands for a missing account. No account has this id. */
const NO_ACCOUNT = { id: 0, credentialVersion: 0 };

/** Checks what people type: passwords and codes. Wrong ones slow down the next ones. */
export class SecretChecks {
  readonly #use: Dependencies;
  readonly #attempts: SignInAttempts;
  readonly #verified: VerifiedPasswords;
  /** running verifications; concurrent attempts with the same password share one */
  readonly #verifying = new Map<string, Promise<boolean>>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#attempts = new SignInAttempts(dependencies.clock);
    this.#verified = new VerifiedPasswords(dependencies.clock?.now);
  }

  /**
   * Whether a password is that of an account.
   *
   * @param account undefined: there is none of this name, which is treated like a wrong password, in time and in counting
   * @throws ForgeError `unauthenticated` where passwords do not sign in; `too_many_attempts`, `busy`
   */
  async isPassword(
    account: SignInAccount | undefined,
    attempt: { readonly login: string; readonly password: string; readonly address: string },
  ): Promise<boolean> {
    const { accounts, settings, log } = this.#use;
    if (!settings.takesPasswords) throw passwordsAreOff();
    const mark = this.#verified.markOf(account ?? NO_ACCOUNT, attempt.password);
    if (this.#verified.has(mark)) return true;
    const { address, password } = attempt;
    const { passwordHash = null, lastLoginAt = null } = account ?? {};
    // By what was typed, as without an account: a name and an e-mail address with one count would show that they belong
    // together.
    const login = `login ${attempt.login.toLowerCase().slice(0, ACCOUNT_LIMITS.emailCharsMax)}`;
    const isRight = await this.#verifyOnce(`${address} ${login} ${mark}`, () =>
      this.#attempts.run({ login, lastLoginAt, address }, () =>
        accounts.passwords.verify(password, passwordHash),
      ),
    );
    if (isRight) this.#verified.remember(mark);
    else log.failed(account?.id ?? null, address);
    return isRight;
  }

  /**
   * Requires a one-time code or a recovery code of an account whose password was right, and uses it. Wrong ones count as
   * failed sign-ins, apart from wrong passwords: a right password must not make new guesses free.
   *
   * @throws ForgeError `forbidden` for a code that is wrong or was used before; `too_many_attempts`, `busy`
   */
  async requireCode(
    account: SignInAccount,
    { code, address }: { readonly code: string; readonly address: string },
  ): Promise<UsedCode> {
    let used: UsedCode | undefined;
    const attempt = { login: `codes of ${account.id}`, lastLoginAt: account.lastLoginAt, address };
    await this.#attempts.run(attempt, async () => {
      used = await this.#use.secondFactors.useCode(account.id, code);
      return used !== undefined;
    });
    if (used !== undefined) return used;
    this.#use.log.failed(account.id, address);
    throw forbidden('the code is wrong, or was used before');
  }

  #verifyOnce(key: string, verify: () => Promise<boolean>): Promise<boolean> {
    const running = this.#verifying.get(key);
    if (running !== undefined) return running;
    const started = verify().finally(() => this.#verifying.delete(key));
    this.#verifying.set(key, started);
    return started;
  }
}
