import type { Oid } from './format/model.ts';

/** How much the objects of one push may take when git unpacks them. */
export interface UnpackedLimits {
  readonly objectBytesMax: number;
  readonly pushBytesMax: number;
}

export interface PackLimits {
  readonly bytesMax: number;
  /** absent for a pack of this server, whose objects were checked before */
  readonly unpacked?: UnpackedLimits;
}

export interface IngestOptions extends PackLimits {
  /** commits whose parents the sender does not have */
  readonly shallow?: readonly Oid[];
  /** refs near which the new commits begin, by their targets; others only make it slower */
  readonly onto?: readonly Oid[];
  /** receives progress lines for the pusher */
  readonly onProgress?: (text: Uint8Array) => void;
}
