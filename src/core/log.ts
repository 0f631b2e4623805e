/** Reports the findings of background work to the operator. */
export interface Log {
  warn(details: object, message: string): void;
}

export const SILENT_LOG: Log = { warn() {} };
