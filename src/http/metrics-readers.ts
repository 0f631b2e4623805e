export const METRICS_ACCESS = ['loopback', 'token', 'everyone'] as const;
/**
 * Who may read the metrics, besides site administrators with a token. loopback: clients on this machine that connect
 * directly.
 */
export type MetricsAccess = (typeof METRICS_ACCESS)[number];
