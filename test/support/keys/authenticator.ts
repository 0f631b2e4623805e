import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Flags of authenticator data, as WebAuthn defines them. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/** How an authenticator answers in place of what is right. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly type?: string;
}

/** What a page asks an authenticator for. */
export interface Asked {
  /** as the page has them, for WebAuthn */
  readonly options: {
    readonly challenge: string;
    readonly rpId?: string;
    readonly rp?: { readonly id: string };
    readonly user?: { readonly id: string };
    readonly allowCredentials?: readonly { readonly id: string }[];
    readonly userVerification?: string;
  };
  readonly challenge: string;
}

/** Returns what the button of a page asks for. */
export function askedIn(page: string): Asked {
  const [, options = ''] = /data-options="([^"]*)"/.exec(page) ?? [];
  const [, challenge = ''] = /name="passkey_challenge" value="([^"]*)"/.exec(page) ?? [];
  if (options === '') throw new Error(`the page asks for no passkey: ${page}`);
  return { options: JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&')), challenge };
}

/** An authenticator with one passkey, and the browser that it belongs to, without a screen. */
export class Authenticator {
  readonly id = randomBytes(16);
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle = '';
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = pair.privateKey;
    this.#publicKey = pair.publicKey;
  }

  /** Returns the fields of the form that adds the passkey. */
  create({ options, challenge }: Asked, deviation: Deviation = {}): Record<string, string> {
    this.#userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, cbor(key)]);
    const authData = Buffer.concat([
      this.#data(deviation.rpId ?? options.rp?.id ?? '', WITH_CREDENTIAL, deviation),
      credential,
    ]);
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#fields(challenge, {
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, deviation).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns the fields of a form that uses the passkey. */
  get({ options, challenge }: Asked, deviation: Deviation = {}): Record<string, string> {
    this.counter += 1;
    const data = this.#data(deviation.rpId ?? options.rpId ?? '', 0, deviation);
    const clientData = this.#clientData('webauthn.get', options.challenge, deviation);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return this.#fields(challenge, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
      userHandle: deviation.userHandle ?? this.#userHandle,
    });
  }

  #fields(challenge: string, response: Record<string, unknown>): Record<string, string> {
    const id = this.id.toString('base64url');
    const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    return { passkey_challenge: challenge, passkey: JSON.stringify(credential) };
  }

  #clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.#origin } = deviation;
    const data = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify(data));
  }

  #data(rpId: string, flags: number, { isVerified = true, counter = this.counter }: Deviation): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = flags | PRESENT | (isVerified ? VERIFIED : 0);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([all]), count]);
  }
}

/** Encodes as RFC 8949 says, as far as this file needs it. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(type: number, size: number): Buffer {
  const major = type << 5;
  if (size < 24) return Buffer.from([major | size]);
  return size < 256 ? Buffer.from([major | 24, size]) : Buffer.from([major | 25, size >> 8, size & 255]);
}
