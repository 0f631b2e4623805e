/**
 * What a process of the system's OpenSSH and the server say to each other over a local socket. The process sends one
 * line of JSON, and then what its client sends. The server sends frames: a kind, the number of bytes, and the bytes.
 */

/** What a process asks. */
export type BridgeRequest =
  /** lines for sshd about an offered key */
  | { readonly ask: 'keys'; readonly key: string; readonly program: string }
  /** lines for sshd about the principals of a certificate that sshd has verified, in base64 */
  | { readonly ask: 'principals'; readonly certificate: string; readonly program: string }
  | {
      readonly ask: 'serve';
      readonly by: BridgeIdentity;
      /** absent: a shell */
      readonly command?: string | undefined;
      readonly protocol?: string | undefined;
      readonly address: string;
    };

/** With what sshd has signed the client in. */
export type BridgeIdentity =
  | { readonly kind: 'key'; readonly keyId: number }
  /** `expiresAt` in ms */
  | {
      readonly kind: 'certificate';
      readonly accountId: number;
      readonly name: string;
      readonly expiresAt: number;
    };

export const FRAMES = { output: 1, error: 2, exit: 3 } as const;
type FrameKind = (typeof FRAMES)[keyof typeof FRAMES];

/** Name of the socket in the data folder. */
export const SOCKET = 'ssh.sock';
/** The system's limit for the path of a socket, on Linux and macOS. */
export const SOCKET_PATH_BYTES_MAX = 103;

const HEADER_BYTES = 5;

export function frame(kind: FrameKind, content: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind);
  header.writeUInt32BE(content.length, 1);
  return Buffer.concat([header, content]);
}

interface Frame {
  readonly kind: number;
  readonly content: Buffer;
}

/** Yields the frames of a stream. An incomplete one at the end is left out. */
export async function* framesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let size = sizeOf(rest); rest.length >= size; size = sizeOf(rest)) {
      yield { kind: rest.readUInt8(), content: rest.subarray(HEADER_BYTES, size) };
      rest = rest.subarray(size);
    }
  }
}

function sizeOf(bytes: Buffer): number {
  return bytes.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES + bytes.readUInt32BE(1);
}
