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
