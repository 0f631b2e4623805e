/** Where git storage tells the operator what it found. */
export interface GitLog {
  warn(details: object, message: string): void;
}

export const SILENT_LOG: GitLog = { warn() {} };
