import type { SignedIn } from '../../access/viewer.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import type { NewRepository } from '../model.ts';

/** Who makes a repository, and for whom. */
export interface CreationRequest {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly wanted: NewRepository;
}

/** As `Making`, found to be possible, with nothing left open. */
export interface SettledRequest extends CreationRequest {
  readonly wanted: NewRepository & { readonly isPrivate: boolean };
}
