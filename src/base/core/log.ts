/** Reports to the operator what background work does and finds. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const SILENT_LOG: Log = { info() {}, warn() {} };
