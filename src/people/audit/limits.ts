export const AUDIT_LIMITS = {
  auditEntriesPerPageDefault: 50,
  auditEntriesPerPageMax: 200,
  /** Entries that one request looks at if it asks for several conditions. A page then ends earlier. */
  auditEntriesScannedMax: 5_000,
  /** Entries that an export reads at once. */
  auditEntriesExportedAtOnceMax: 500,
  auditDeleteEveryMs: 60 * 60_000,
} as const;
