/** Reports what background work does and finds to the operator. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const SILENT_LOG: Log = { info() {}, warn() {} };
