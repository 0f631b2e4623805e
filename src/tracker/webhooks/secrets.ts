import type { Sealer } from '../../base/core/sealing.ts';

/** The two texts of a webhook that no one can read back. */
export interface HookSecrets {
  /** '': none */
  readonly secret: string;
  readonly authorization: string;
}

type Name = keyof HookSecrets;

/** Encrypts the secrets of webhooks. The key of the webhook is part of what is encrypted, so no other row can use them. */
export class HookSealer {
  readonly #sealer: Sealer;

  constructor({ sealer }: { readonly sealer: Sealer }) {
    this.#sealer = sealer;
  }

  /** @returns null for '' */
  seal(key: string, name: Name, text: string): string | null {
    return text === '' ? null : this.#sealer.seal(text, purposeOf(key, name));
  }

  /** @throws SealError */
  open(hook: { readonly key: string } & Readonly<Record<Name, string | null>>): HookSecrets {
    const opened = (name: Name) => {
      const sealed = hook[name];
      return sealed === null ? '' : this.#sealer.open(sealed, purposeOf(hook.key, name));
    };
    return { secret: opened('secret'), authorization: opened('authorization') };
  }
}

function purposeOf(key: string, name: Name): string {
  return `webhook ${name} ${key}`;
}
