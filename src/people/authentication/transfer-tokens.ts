import {
  type BoundTransfer,
  type EarlierViewer,
  isSignedIn,
  type TransferOperation,
  type Viewer,
} from '../../api/access/viewer.ts';
import { secretPrefix } from '../../base/core/secrets.ts';
import { SignedClaims } from '../../base/core/signed-claims.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

const PREFIX = secretPrefix('transfer-token');
/** of tokens that an earlier version issued */
const EARLIER_PREFIX = 'transfer-';

/** What a token for a transfer stands for: a credential, for one operation on one repository, until it expires. */
type TransferClaims = (EarlierViewer | { readonly deployKeyId: number }) & {
  readonly transfer: BoundTransfer;
  /** ms */
  readonly expiresAt: number;
};

export interface TransferToken {
  readonly token: string;
  /** ms */
  readonly expiresAt: number;
}

/** Returns what identifies a viewer with a credential; undefined if there is none, or it has no name. */
function holderOf(viewer: Viewer): EarlierViewer | { readonly deployKeyId: number } | undefined {
  const { deployKeyId, source } = viewer;
  if (deployKeyId !== undefined) return { deployKeyId };
  return isSignedIn(viewer) && source !== undefined ? { accountId: viewer.accountId, source } : undefined;
}

/**
 * Whether a route takes the tokens of a transfer.
 *
 * @param route.transfer what the route itself transfers
 * @param route.partOfTransfer the whole transfers of which the route is a part
 */
export function isPartOf(
  { operation, isWhole = false }: BoundTransfer,
  route: {
    readonly transfer?: TransferOperation | undefined;
    readonly partOfTransfer?: TransferOperation | undefined;
  },
): boolean {
  if (!isWhole) return operation === route.transfer;
  const needed = route.transfer ?? route.partOfTransfer;
  return needed === 'download' || (needed === 'upload' && operation === 'upload');
}

export function isTransferToken(text: string): boolean {
  return prefixOf(text) !== undefined;
}

function prefixOf(text: string): string | undefined {
  return [PREFIX, EARLIER_PREFIX].find((prefix) => text.startsWith(prefix));
}

/**
 * Issues tokens for transfers of large files, which clients send instead of their credential. A token is signed and
 * stored nowhere. It grants nothing by itself: each use reads the credential and the rights of the account again.
 */
export class TransferTokens {
  readonly #claims: SignedClaims<TransferClaims>;

  /** @param secret of this server */
  constructor(secret: Uint8Array) {
    this.#claims = new SignedClaims(secret, 'tokens for transfers');
  }

  /** @returns undefined if the viewer's credential has no name */
  issue(viewer: Viewer, transfer: BoundTransfer): TransferToken | undefined {
    const holder = holderOf(viewer);
    if (holder === undefined) return undefined;
    const expiresAt = currentTimeMs() + AUTHENTICATION_LIMITS.transferTokenMs;
    return { token: `${PREFIX}${this.#claims.sign({ ...holder, transfer, expiresAt })}`, expiresAt };
  }

  /** Returns what a token stands for; undefined if it is forged or has expired. */
  read(token: string): TransferClaims | undefined {
    return this.#claims.read(token.slice(prefixOf(token)?.length));
  }
}
