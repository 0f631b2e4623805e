/** A note on the wire. `exclude` leaves out fields that are optional here. */
export interface NoteRecord {
  readonly id?: number;
  readonly title?: string;
  /** seconds */
  readonly modified?: number;
  /** folders with slashes between them; '' for none */
  readonly category?: string;
  readonly favorite?: boolean;
  readonly readonly?: boolean;
  readonly content?: string;
  readonly etag: string;
  readonly internalPath: string;
  readonly shareTypes: readonly number[];
  readonly isShared: boolean;
  readonly error: boolean;
  readonly errorType: string;
}
