/** Where work that nobody waits for tells the operator what it found. */
export interface Log {
  warn(details: object, message: string): void;
}

export const SILENT_LOG: Log = { warn() {} };
